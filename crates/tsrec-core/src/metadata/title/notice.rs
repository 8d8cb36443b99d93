//! Notices about cookies and privacy, whose headings stand before the page's.

use super::super::phrases::LabelPhrases;

/// What their headings say, in the languages of the web. A recipe of cookies says none of these.
static NOTICES: LabelPhrases = LabelPhrases::from_list(
    "cookies on this|uses cookies|use cookies|using cookies|use of cookies|regarding cookies|about cookies|our cookies|\
     accept cookies|manage cookies|cookies and privacy|cookie settings|cookie preferences|cookie choices|cookie consent|\
     cookie notice|cookie policy|cookie control|your privacy|privacy preference|privacy settings|privacy choices|\
     cookie-einstellung|cookie einstellung|verwendet cookies|verwenden cookies|nutzt cookies|nutzen cookies|\
     privatsphäre-einstellung|datenschutzeinstellung|datenschutz-einstellung|utilise des cookies|utilisons des cookies|\
     gestion des cookies|paramètres des cookies|utiliza cookies|utilizamos cookies|usamos cookies|uso de cookies|\
     configuración de cookies|tu privacidad|su privacidad|utilizza cookie|utilizza i cookie|utilizziamo i cookie|\
     uso dei cookie|la tua privacy|sua privacidade|gebruikt cookies|gebruiken cookies|använder cookies|använder kakor|\
     bruker cookies|informasjonskapsler|anvender cookies|käyttää evästeitä|evästeasetukset|używa plików cookie|\
     używamy plików cookie|pliki cookie|soubory cookie|soubory cookies|sütiket használ|çerezleri kullan|çerez ayarları|\
     файлы cookie|файлов cookie|файли cookie|χρησιμοποιεί cookies|使用 cookie|使用cookie|クッキーを使用|cookieを使用|\
     cookie の使用|쿠키를 사용",
);

/// True of the heading of such a notice. Linear in the text.
pub(super) fn is_one(heading: &str) -> bool {
    NOTICES.are_in(heading)
}
