//! The names of the months, in the fourteen languages of [`crate::analysis::language`] and some
//! fifty more.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Month names and usual abbreviations, in lower case, by month, in each form that a date has.
/// Chinese, Japanese and Korean number their months and need none. From the Unicode CLDR. A name
/// that means different months in two languages is that of the first: Polish, not Croatian,
/// `listopada`.
const MONTHS: [&str; 12] = [
    "january jan januar january janvier janv enero ene gennaio gen januari janeiro januari january jänner tammikuu tammikuuta tammi január január \
     января январь янв ocak oca ιανουαρίου ιαν يناير januari styczeń stycznia leden ledna ianuarie січня \
     januára gener xaneiro urtarrila urtarrilaren janúar jaanuar janvāris janvārī sausio sausis siječnja siječanj januarja јануар јануара januara \
     януари јануари студзеня студзень yanvar қаңтар қаңтардың იანვარი հունվարի հունվար janar janari januarie ionawr eanáir janeru ιανουάριος \
     ינואר בינואר ژانویه ژانویهٔ جنوری जनवरी जानेवारी জানুয়ারি জানুয়ারী ஜனவரி జనవరి ജനുവരി ಜನವರಿ જાન્યુઆરી ਜਨਵਰੀ มกราคม ม.ค ມັງກອນ មករា ဇန်နဝါရီ \
     جانفي",
    "february feb februar fév février févr febrero febbraio februari fevereiro fev helmikuu helmikuuta helmi február febr февраля февраль фев şubat şub \
     φεβρουαρίου φεβ فبراير februarie lutego luty února únor лютого \
     februára febrer febreiro otsaila otsailaren febrúar veebruar februāris februārī vasario vasaris veljače veljača februarja фебруар фебруара \
     februara февруари лютага люты fevral ақпан თებერვალი փետրվարի փետրվար shkurt shkurti februarie chwefror feabhra pebrero φεβρουάριος \
     פברואר בפברואר فوریه فروری شباط फ़रवरी फरवरी फेब्रुवारी ফেব্রুয়ারি ফেব্রুয়ারী பிப்ரவரி ఫిబ్రవరి ഫെബ്രുവരി ಫೆಬ್ರವರಿ ફેબ્રુઆરી ਫ਼ਰਵਰੀ กุมภาพันธ์ ก.พ ກຸມພາ កុម្ភៈ \
     ဖေဖော်ဝါရီ فيفري",
    "march mar märz mär marts mars marzo maart mrt março maaliskuu maaliskuuta maalis március márc марта март мар mart μαρτίου μαρ مارس maret martie marzec marca \
     března březen березня \
     març martxoa martxoaren märts martā martas kovo kovas ožujka ožujak marec марта сакавіка сакавік наурыз მარტი մարտի մարտ mawrth márta marso \
     μάρτιος מרץ במרץ מרס מארס آذار مارچ मार्च মার্চ மார்ச் మార్చి മാർച്ച് ಮಾರ್ಚ್ માર્ચ ਮਾਰਚ มีนาคม มี.ค ມີນາ មីនា မတ်",
    "april apr avril avr abril abr aprile huhtikuu huhtikuuta huhti április ápr апреля апрель апр nisan nis απριλίου απρ أبريل aprilie kwiecień kwietnia \
     dubna duben квітня \
     apríla apirila apirilaren apríl aprill aprīlis aprīlī balandžio balandis travnja travanj aprila април априла красавіка красавік aprel сәуір აპრილი ապրիլի \
     ապրիլ prill prilli ebrill aibreán απρίλιος אפריל באפריל آوریل ابریل إبريل نيسان اپریل अप्रैल एप्रिल এপ্রিল ஏப்ரல் ఏప్రిల్ ഏപ്രിൽ ಏಪ್ರಿಲ್ એપ્રિલ ਅਪ੍ਰੈਲ เมษายน เม.ย ເມສາ មេសា ဧပြီ \
     أفريل",
    "may mai maj mayo maggio mag mei maio toukokuu toukokuuta touko május máj мая май mayıs μαΐου μαι μαϊ مايو maja května květen травня \
     mája maig maiatza maiatzaren maí maijs maijā gegužės gegužė svibnja svibanj мај маја маја траўня май mamyr мамыр მაისი մայիսի մայիս maji mei bealtaine mayis \
     μάιος מאי במאי مه مئی أيار मई मे মে மே మే മേയ് ಮೇ મે ਮਈ พฤษภาคม พ.ค ພຶດສະພາ ឧសភា မေ ماي",
    "june jun juni juin junio giugno giu junho kesäkuu kesäkuuta kesä június jún июня июнь июн haziran haz ιουνίου ιουν يونيو iunie czerwiec czerwca \
     června červen червня \
     júna juny xuño ekaina ekainaren júní juuni jūnijs jūnijā birželio birželis lipnja lipanj junij junija juna јун јуна юни јуни чэрвеня iyun маусым ივნისი հունիսի \
     հունիս qershor qershori junie mehefin meitheamh hunyo ιούνιος יוני ביוני ژوئن جون حزيران जून জুন ஜூன் జూన్ ജൂൺ ಜೂನ್ જૂન ਜੂਨ มิถุนายน มิ.ย ມິຖຸນາ មិថុនា ဇွန် جوان",
    "july jul juli juillet juil julio luglio lug julho heinäkuu heinäkuuta heinä július júl июля июль июл temmuz tem ιουλίου ιουλ يوليو iulie lipiec lipca \
     července červenec липня \
     júla juliol xullo uztaila uztailaren júlí juuli jūlijs jūlijā liepos liepa srpnja srpanj julij julija jula јул јула юли јули ліпеня iyul шілде ივლისი հուլիսի \
     հուլիս korrik korriku julie gorffennaf iúil hulyo ιούλιος יולי ביולי ژوئیه ژوییه جولائی تموز जुलाई जुलै জুলাই ஜூலை జూలై ജൂലൈ ಜುಲೈ જુલાઈ ਜੁਲਾਈ กรกฎาคม ก.ค ກໍລະກົດ កក្កដា \
     ဇူလိုင် جويلية julai",
    "august aug août aoû agosto ago augustus augusti elokuu elokuuta elo augusztus avgust августа август авг ağustos ağu αυγούστου αυγ أغسطس agustus sierpień \
     sierpnia srpna srpen серпня \
     augusta agost abuztua abuztuaren ágúst augusts augustā rugpjūčio rugpjūtis kolovoza kolovoz avgusta август августа жніўня avqust тамыз აგვისტო օգոստոսի օգոստոս \
     gusht gushti augustus awst lúnasa agosto αύγουστος אוגוסט באוגוסט اوت اگست آب अगस्त ऑगस्ट আগস্ট அகஸ்ட் ஆகஸ்ட் ఆగస్టు ഓഗസ്റ്റ് ಆಗಸ್ಟ್ ઑગસ્ટ ਅਗਸਤ สิงหาคม ส.ค ສິງຫາ សីហា ဩဂုတ် \
     أوت ogos",
    "september sep sept septembre septiembre settembre set setembro syyskuu syyskuuta syys szeptember szept сентября сентябрь сен сент eylül eyl σεπτεμβρίου \
     σεπ سبتمبر septembrie wrzesień września září вересня \
     septembra setembre iraila irailaren septembris septembrī rugsėjo rugsėjis rujna rujan септембар септембра септември верасня sentyabr қыркүйек სექტემბერი \
     սեպտեմբերի սեպտեմբեր shtator shtatori medi setyembre σεπτέμβριος ספטמבר בספטמבר سپتامبر ستمبر أيلول सितंबर सितम्बर सप्टेंबर সেপ্টেম্বর செப்டம்பர் సెప్టెంబర్ സെപ്റ്റംബർ ಸೆಪ್ಟೆಂಬರ್ સપ્ટેમ્બર \
     ਸਤੰਬਰ กันยายน ก.ย ກັນຍາ កញ្ញា စက်တင်ဘာ",
    "october oct oktober okt octobre octubre ottobre ott outubro out lokakuu lokakuuta loka október октября октябрь окт ekim eki οκτωβρίου οκτ أكتوبر octombrie \
     październik października října říjen жовтня \
     októbra urria urriaren oktoober oktobris oktobrī spalio spalis oktobra октобар октобра октомври кастрычніка oktyabr қазан ოქტომბერი հոկտեմբերի \
     հոկտեմբեր tetor tetori hydref oktubre οκτώβριος אוקטובר באוקטובר اکتبر اکتوبر अक्टूबर अक्तूबर ऑक्टोबर অক্টোবর அக்டோபர் అక్టోబర్ ഒക്ടോബർ ಅಕ್ಟೋಬರ್ ઑક્ટોબર ਅਕਤੂਬਰ ตุลาคม ต.ค ຕຸລາ \
     តុលា အောက်တိုဘာ oktobar",
    "november nov novembre noviembre novembro marraskuu marraskuuta marras ноября ноябрь ноя kasım kas νοεμβρίου νοε نوفمبر noiembrie listopad listopada \
     листопада \
     novembra azaroa azaroaren nóvember novembris novembrī lapkričio lapkritis listopadu studenoga studenog studeni новембар новембра ноември лістапада noyabr қараша ნოემბერი \
     նոյեմբերի նոյեմբեր nëntor nëntori tachwedd samhain nobyembre νοέμβριος נובמבר בנובמבר نوامبر نومبر नवंबर नवम्बर नोव्हेंबर নভেম্বর நவம்பர் నవంబర్ നവംബർ ನವೆಂಬರ್ નવેમ્બર ਨਵੰਬਰ พฤศจิกายน พ.ย ພະຈິກ \
     វិច្ឆិកា နိုဝင်ဘာ novembar",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro desember des joulukuu joulukuuta joulu декабря декабрь дек aralık ara δεκεμβρίου \
     δεκ ديسمبر decembrie grudzień grudnia prosinec prosince грудня \
     decembra desembre decembro abendua abenduaren desembris decembris decembrī detsember gruodžio gruodis prosinca децембар децембра декември снежня dekabr желтоқсан \
     დეკემბერი դեկտեմբերի դեկտեմբեր dhjetor dhjetori desember rhagfyr disyembre nollaig δεκέμβριος דצמבר בדצמבר دسامبر دسمبر दिसंबर दिसम्बर डिसेंबर ডিসেম্বর டிசம்பர் డిసెంబర్ ഡിസംബർ ಡಿಸೆಂಬರ್ \
     ડિસેમ્બર ਦਸੰਬਰ ธันวาคม ธ.ค ທັນວາ ធ្នូ ဒီဇင်ဘာ decembar disember",
];

/// Names of two words, in the Arabic of the Levant.
const OF_TWO_WORDS: [(&str, u32); 4] =
    [("كانون الثاني", 1), ("تشرين الأول", 10), ("تشرين الثاني", 11), ("كانون الأول", 12)];
/// The Vietnamese word for month, which a number follows.
const VIETNAMESE: &str = "tháng ";
/// The months of the Persian calendar, as Iran and as Afghanistan call them.
const PERSIAN: [&str; 12] = [
    "فروردین حمل",
    "اردیبهشت ثور",
    "خرداد جوزا",
    "تیر سرطان",
    "مرداد اسد",
    "شهریور سنبله",
    "مهر میزان",
    "آبان عقرب",
    "آذر قوس",
    "دی جدی",
    "بهمن دلو",
    "اسفند حوت",
];

/// The month with that lower-case name, from 1 to 12.
pub(super) fn month(name: &str) -> Option<u32> {
    static BY_NAME: LazyLock<HashMap<&str, u32>> = LazyLock::new(|| {
        let months = (1..).zip(MONTHS);
        let names = months.flat_map(|(month, names)| names.split_whitespace().map(move |name| (name, month)));
        names.chain(OF_TWO_WORDS).collect()
    });
    let numbered = || name.strip_prefix(VIETNAMESE)?.parse().ok().filter(|month| (1..=12).contains(month));
    BY_NAME.get(name).copied().or_else(numbered)
}

/// The length in bytes of the name of two words with which a text begins.
pub(super) fn of_two_words(text: &str) -> Option<usize> {
    let named = OF_TWO_WORDS
        .iter()
        .map(|(name, _)| name.len())
        .find(|&length| text.get(..length).is_some_and(|begin| OF_TWO_WORDS.iter().any(|(name, _)| *name == begin)));
    named.or_else(|| {
        let begin = text.get(..VIETNAMESE.len()).filter(|begin| begin.to_lowercase() == VIETNAMESE)?;
        let digits = text[begin.len()..].bytes().take_while(u8::is_ascii_digit).count();
        (1..=2).contains(&digits).then_some(begin.len() + digits)
    })
}

/// The month of the Persian calendar with that name, from 1 to 12.
pub(super) fn persian(name: &str) -> Option<u32> {
    static BY_NAME: LazyLock<HashMap<&str, u32>> = LazyLock::new(|| {
        let months = (1..).zip(PERSIAN);
        months.flat_map(|(month, names)| names.split(' ').map(move |name| (name, month))).collect()
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
        let twice = all.windows(2).find(|pair| pair[0].0 == pair[1].0);
        assert_eq!(twice, None, "a name of two months");
        for (name, expect) in [
            ("mai", 5),
            ("maj", 5),
            ("août", 8),
            ("сентября", 9),
            ("aralık", 12),
            ("joulukuuta", 12),
            ("mar", 3),
            ("كانون الثاني", 1),
            ("tháng 12", 12),
            ("जनवरी", 1),
            ("ม.ค", 1),
        ] {
            assert_eq!(month(name), Some(expect), "{name}");
        }
        assert_eq!((month("monday"), month("tháng 13"), persian("دی"), persian("maj")), (None, None, Some(10), None));
    }
}
