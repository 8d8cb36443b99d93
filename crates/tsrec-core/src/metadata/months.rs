//! The names of the months: in the fourteen languages of [`crate::analysis::language`], and some
//! more.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Month names and the abbreviations in use, in lower case, by month. Greek, Arabic and Indonesian
/// beside the fourteen; languages that number their months (Chinese, Japanese, Korean) need none.
/// From the Unicode CLDR.
const MONTHS: [&str; 12] = [
    "january jan januar january janvier janv enero ene gennaio gen januari janeiro januari january jänner tammikuu tammikuuta tammi január január \
     января январь янв ocak oca ιανουαρίου ιαν يناير januari styczeń stycznia leden ledna ianuarie січня",
    "february feb februar fév février févr febrero febbraio februari fevereiro fev helmikuu helmikuuta helmi február febr февраля февраль фев şubat şub \
     φεβρουαρίου φεβ فبراير februarie lutego luty února únor лютого",
    "march mar märz mär marts mars marzo maart mrt março maaliskuu maaliskuuta maalis március márc марта март мар mart μαρτίου μαρ مارس maret martie marzec marca \
     března březen березня",
    "april apr avril avr abril abr aprile huhtikuu huhtikuuta huhti április ápr апреля апрель апр nisan nis απριλίου απρ أبريل aprilie kwiecień kwietnia \
     dubna duben квітня",
    "may mai maj mayo maggio mag mei maio toukokuu toukokuuta touko május máj мая май mayıs μαΐου μαι مايو maja května květen травня",
    "june jun juni juin junio giugno giu junho kesäkuu kesäkuuta kesä június jún июня июнь июн haziran haz ιουνίου ιουν يونيو iunie czerwiec czerwca \
     června červen червня",
    "july jul juli juillet juil julio luglio lug julho heinäkuu heinäkuuta heinä július júl июля июль июл temmuz tem ιουλίου ιουλ يوليو iulie lipiec lipca \
     července červenec липня",
    "august aug août aoû agosto ago augustus augusti elokuu elokuuta elo augusztus avgust августа август авг ağustos ağu αυγούστου αυγ أغسطس agustus sierpień \
     sierpnia srpna srpen серпня",
    "september sep sept septembre septiembre settembre set setembro syyskuu syyskuuta syys szeptember szept сентября сентябрь сен сент eylül eyl σεπτεμβρίου \
     σεπ سبتمبر septembrie wrzesień września září вересня",
    "october oct oktober okt octobre octubre ottobre ott outubro out lokakuu lokakuuta loka október октября октябрь окт ekim eki οκτωβρίου οκτ أكتوبر octombrie \
     październik października října říjen жовтня",
    "november nov novembre noviembre novembro marraskuu marraskuuta marras ноября ноябрь ноя kasım kas νοεμβρίου νοε نوفمبر noiembrie listopad listopada \
     листопада",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro desember des joulukuu joulukuuta joulu декабря декабрь дек aralık ara δεκεμβρίου \
     δεκ ديسمبر decembrie grudzień grudnia prosinec prosince грудня",
];

/// The month of that name, from 1 to 12; the name in lower case.
pub(super) fn month(name: &str) -> Option<u32> {
    static BY_NAME: LazyLock<HashMap<&str, u32>> = LazyLock::new(|| {
        let months = (1..).zip(MONTHS);
        months.flat_map(|(month, names)| names.split_whitespace().map(move |name| (name, month))).collect()
    });
    BY_NAME.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_one_month() {
        let mut all: Vec<(&str, usize)> = MONTHS
            .iter()
            .enumerate()
            .flat_map(|(month, names)| names.split_whitespace().map(move |name| (name, month)))
            .collect();
        all.sort_unstable();
        all.dedup();
        assert!(all.windows(2).all(|pair| pair[0].0 != pair[1].0), "a name of two months");
        for (name, expect) in
            [("mai", 5), ("maj", 5), ("août", 8), ("сентября", 9), ("aralık", 12), ("joulukuuta", 12), ("mar", 3)]
        {
            assert_eq!(month(name), Some(expect), "{name}");
        }
        assert_eq!(month("monday"), None);
    }
}
