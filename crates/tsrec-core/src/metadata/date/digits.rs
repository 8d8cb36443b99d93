//! Numbers in the digits and numerals of many scripts.

/// The value of a decimal digit, of the scripts that the web's languages write.
pub(super) fn digit(c: char) -> Option<u32> {
    /// The zeros of those scripts: Arabic, Persian, Devanagari, Bengali, Gurmukhi, Gujarati, Oriya,
    /// Tamil, Telugu, Kannada, Malayalam, Thai, Lao, Tibetan, Burmese, Khmer, full width.
    const ZEROS: [char; 17] = [
        '\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{a66}', '\u{ae6}', '\u{b66}', '\u{be6}', '\u{c66}', '\u{ce6}',
        '\u{d66}', '\u{e50}', '\u{ed0}', '\u{f20}', '\u{1040}', '\u{17e0}', '\u{ff10}',
    ];
    match c {
        '0'..='9' => c.to_digit(10),
        // Of most scripts no character is one.
        '\0'..'\u{660}' | '\u{17ea}'..'\u{ff10}' => None,
        _ => ZEROS.iter().find_map(|&zero| (c as u32).checked_sub(zero as u32).filter(|&value| value < 10)),
    }
}

/// The value of a Chinese numeral, from 0 to 10.
pub(super) fn han_digit(c: char) -> Option<u32> {
    match c {
        '〇' | '○' | '零' => Some(0),
        _ => "一二三四五六七八九十".chars().position(|known| known == c).map(|at| at as u32 + 1),
    }
}

/// A number in Chinese numerals, up to 99 with tens or else digit by digit: `三十一`, `二〇二六`.
pub(super) fn han_number(text: &str) -> Option<(u32, usize)> {
    const LONGEST: usize = 4;
    let digits: Vec<u32> = text.chars().map(han_digit).collect::<Option<_>>()?;
    let value = match digits[..] {
        [10] => 10,
        [10, ones] => 10 + ones,
        [tens, 10] => 10 * tens,
        [tens, 10, ones] => 10 * tens + ones,
        _ if digits.len() <= LONGEST && !digits.contains(&10) => {
            digits.iter().fold(0, |value, digit| 10 * value + digit)
        }
        _ => return None,
    };
    Some((value, if digits.contains(&10) { 2 } else { digits.len() }))
}

/// The value of a number in digits of any script, and how many they are.
pub(super) fn number(digits: &str) -> Option<(u32, usize)> {
    const LONGEST: usize = 8;
    let values: Vec<u32> = digits.chars().take(LONGEST + 1).map(digit).collect::<Option<_>>()?;
    let is_number = (1..=LONGEST).contains(&values.len());
    is_number.then(|| (values.iter().fold(0, |value, digit| 10 * value + digit), values.len()))
}

/// A month in Roman numerals, as between a day and a year.
pub(super) fn roman_month(text: &str) -> Option<u32> {
    const MONTHS: [&str; 12] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];
    MONTHS.iter().position(|known| *known == text).map(|at| at as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_each_script_are_read() {
        for (zero, nine) in [('0', '9'), ('٠', '٩'), ('۰', '۹'), ('०', '९'), ('๐', '๙'), ('០', '៩'), ('０', '９')]
        {
            assert_eq!((digit(zero), digit(nine)), (Some(0), Some(9)), "{zero}");
        }
        for other in ['a', 'é', 'Ω', '\u{65f}', '\u{17ea}', 'あ', '漢', '한', '\u{ff0f}', '：'] {
            assert_eq!(digit(other), None, "{other}");
        }
    }
}
