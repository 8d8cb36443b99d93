//! Lines that invite readers to follow the site, or to get its letters.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::kept_blocks;
use super::labels::hashed;
use crate::analysis::{Analysis, Block};

/// The words of the longest such line. Judgement: an invitation and three names.
const LONGEST: u32 = 25;
/// The words of the longest beginning in [`FOLLOW`].
const LONGEST_PHRASE: usize = 6;

/// How lines begin that ask readers to follow or join, in lower case and without marks.
const FOLLOW: &[&str] = &[
    "follow us on",
    "follow us at",
    "find us on facebook",
    "find us on instagram",
    "find us on social",
    "like us on facebook",
    "join us on facebook",
    "join our telegram",
    "join our whatsapp",
    "join our facebook",
    "subscribe to our newsletter",
    "subscribe to our channel",
    "subscribe to our youtube",
    "sign up for our newsletter",
    "sign up to our newsletter",
    "get our newsletter",
    "folgen sie uns",
    "folgt uns auf",
    "folge uns auf",
    "abonnieren sie unseren",
    "abonniere unseren",
    "suivez nous sur",
    "retrouvez nous sur",
    "rejoignez nous sur",
    "abonnez vous à notre",
    "abonnez vous à la newsletter",
    "síguenos en",
    "síganos en",
    "suscríbete a nuestro",
    "suscríbete a nuestra",
    "únete a nuestro canal",
    "siga nos",
    "siga nas redes",
    "siga o nosso",
    "siga o canal",
    "inscreva se no nosso",
    "seguici su",
    "iscriviti alla newsletter",
    "iscriviti alla nostra newsletter",
    "iscriviti al nostro canale",
    "volg ons op",
    "følg oss på",
    "følg os på",
    "följ oss på",
    "seuraa meitä",
    "obserwuj nas",
    "śledź nas",
    "polub nas na facebooku",
    "dołącz do nas na",
    "sledujte nás na",
    "kövessen minket",
    "kövess minket",
    "urmăriți ne pe",
    "urmărește ne pe",
    "abonează te la",
    "pratite nas na",
    "подписывайтесь на наш",
    "подписывайтесь на канал",
    "подписывайтесь на нас",
    "подпишитесь на наш",
    "присоединяйтесь к нам в",
    "читайте нас в",
    "підписуйтесь на наш",
    "підписуйтеся на наш",
    "стежте за нами",
    "приєднуйтесь до нас",
    "последвайте ни",
    "ακολουθήστε μας",
    "ακολουθήστε το κανάλι",
    "bizi takip edin",
    "ikuti kami di",
    "mari bergabung di grup",
    "gabung di channel",
    "theo dõi chúng tôi",
    "تابعونا على",
    "تابعنا على",
    "ما را در تلگرام",
    "ما را در اینستاگرام",
    "עקבו אחרינו",
    "हमें फॉलो करें",
];

static FOLLOWS: LazyLock<HashSet<Vec<u32>>> = LazyLock::new(|| hashed(FOLLOW));

/// Removes such lines from what is kept, unless the first text is one. Linear in the blocks.
pub(super) fn remove(analysis: &Analysis, kept: &mut [bool]) {
    let texts = kept_blocks(analysis, kept).filter(|(_, block)| block.text.words > 0).skip(1);
    let found: Vec<usize> = texts.filter(|(_, block)| invites(analysis, block)).map(|(at, _)| at).collect();
    found.into_iter().for_each(|at| kept[at] = false);
}

fn invites(analysis: &Analysis, block: &Block) -> bool {
    let words = analysis.words(block);
    let mut beginnings = 2..=LONGEST_PHRASE.min(words.len());
    block.text.words <= LONGEST && beginnings.any(|length| FOLLOWS.contains(&words[..length]))
}
