//! Trains the local classifier (section 6.2.3) in one pass, page by page, and keeps no page.
//!
//! A page teaches through the run of tokens that is its article, tags and all other tokens inside
//! included. All tokens in the run are in, all others are out. As in the paper (section 5.1), a
//! page is skipped if its article has fewer than fifty words and symbols, or is more than a fifth
//! tags. Such a text is hardly an article.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Range;

use super::features::{trigrams, unclosed_tags};
use super::model::{MssModel, Recipe, Setting};
use super::table::TokenOdds;
use tsrec_core::block::symbols::{Symbol, SymbolKind};
use tsrec_core::block::tokens::{BlockToken, tokens};
use tsrec_core::extract::example::Example;
use tsrec_core::extract::learner::Learner;
use tsrec_core::html::Document;
use tsrec_core::learn::Step;
use tsrec_core::learn::naive_bayes::{BayesClass, NaiveBayes};
use tsrec_core::learn::subsequence;
use tsrec_core::page::Gold;

/// The least number of words and symbols in an article (section 5.1).
const LEAST_TEXT: usize = 50;
/// The greatest share of tags among an article's tokens (section 5.1).
const MOST_TAGS: f64 = 0.2;
/// The least count of a value in [`Recipe::Transfer`]. A value seen once was seen on one page, and
/// half of all trigrams are such.
const LEAST_SEEN: u64 = 2;

/// The share of a bounded model that single tokens may take from trigrams, as 1/`BACKOFF_PART`.
/// Judgement.
const BACKOFF_PART: usize = 4;

/// A page to learn from, without its text: only the data that training needs.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct MssLesson {
    /// The page's symbols.
    pub symbols: Vec<Symbol>,
    /// Which of them are its article.
    pub article: Range<usize>,
}

impl MssLesson {
    /// The lesson of a page with gold. `None` if none of the page's words is kept.
    pub fn new(document: &Document, gold: &Gold) -> Option<MssLesson> {
        let tokens = tokens(document);
        let mut kept = gold.words.iter().filter(|word| word.kept).peekable();
        let mut is_kept = |token: &BlockToken| match token {
            BlockToken::Word(node, range) => kept.next_if(|word| word.node == *node && word.range == *range).is_some(),
            _ => false,
        };
        let kept: Vec<bool> = tokens.iter().map(&mut is_kept).collect();
        let symbols = tsrec_core::block::symbols::symbols(document, &tokens);
        let article = article(&symbols, &kept)?;
        Some(MssLesson { symbols, article })
    }
}

/// The run of tokens with the kept words. It is the maximum subsequence, where a kept word scores 1
/// and another −1, so a stray kept word far away does not stretch it. Symbols next to its ends,
/// such as the last full stop, belong to it.
pub fn article(symbols: &[Symbol], kept: &[bool]) -> Option<Range<usize>> {
    let score = |(symbol, kept): (&Symbol, &bool)| match (symbol.kind, kept) {
        (SymbolKind::Word, true) => 1.0,
        (SymbolKind::Word, false) => -1.0,
        _ => 0.0,
    };
    let (mut range, _) = subsequence::maximum(symbols.iter().zip(kept).map(score))?;
    let is_symbol = |at: usize| symbols[at].kind == SymbolKind::Symbol;
    while range.start > 0 && is_symbol(range.start - 1) {
        range.start -= 1;
    }
    while range.end < symbols.len() && is_symbol(range.end) {
        range.end += 1;
    }
    Some(range)
}

/// The learner of the local classifier.
#[derive(Clone, Copy, Debug)]
pub struct MssLearner {
    /// What the model is for.
    pub setting: Setting,
    /// The recipe that counts it.
    pub recipe: Recipe,
    /// See [`Trainer::at_most`].
    pub most_features: usize,
}

impl Learner for MssLearner {
    type Lesson = MssLesson;
    type Model = MssModel;
    type Error = OneClass;

    fn lesson(&self, example: &Example<'_>) -> Option<MssLesson> {
        MssLesson::new(example.page.document(), example.gold)
    }

    /// One pass; no lesson is kept. Nothing is random.
    fn train(
        &self,
        lessons: impl Iterator<Item = impl Borrow<MssLesson>>,
        _seed: u64,
        _progress: &mut dyn FnMut(&Step<'_>),
    ) -> Result<MssModel, OneClass> {
        let mut trainer = Trainer::new(self.setting).with_recipe(self.recipe).at_most(self.most_features);
        for lesson in lessons {
            let MssLesson { symbols, article } = lesson.borrow();
            trainer.learn(symbols, article.clone());
        }
        trainer.finish()
    }
}

/// What training did with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaughtPage {
    /// Its tokens were counted.
    Learned,
    /// Nothing was counted: the article has too little text.
    TooShort,
    /// Nothing was counted: the article has too many tags.
    TooManyTags,
}

/// Learns from pages one after the other. Memory grows with the number of distinct trigrams: some
/// 20 bytes each, about 1 MB for 100 pages.
#[derive(Clone, Debug)]
pub struct Trainer {
    setting: Setting,
    recipe: Recipe,
    /// Counts for each token: its trigram (or the token itself, in the setting for all kinds of
    /// pages), its most recent unclosed tag, and the token itself.
    counts: NaiveBayes<3>,
    most_features: usize,
}

impl Trainer {
    /// A trainer that has seen no page, with the paper's recipe.
    pub fn new(setting: Setting) -> Trainer {
        Trainer { setting, recipe: Recipe::Paper, counts: NaiveBayes::default(), most_features: usize::MAX }
    }

    /// Uses another recipe.
    pub fn with_recipe(mut self, recipe: Recipe) -> Trainer {
        self.recipe = recipe;
        self
    }

    /// Limits the model to this many features of tokens, and keeps those with the largest odds
    /// times count. At four bytes a feature, 90,000 are 360 KB. The dropped ones count as never
    /// seen.
    pub fn at_most(mut self, features: usize) -> Trainer {
        self.most_features = features;
        self
    }

    /// Learns from a page. Linear in its symbols.
    ///
    /// # Panics
    /// If the article is not within the symbols.
    pub fn learn(&mut self, symbols: &[Symbol], article: Range<usize>) -> TaughtPage {
        let inside = &symbols[article.clone()];
        let tags = inside.iter().filter(|symbol| symbol.is_tag()).count();
        if inside.len() - tags < LEAST_TEXT {
            return TaughtPage::TooShort;
        }
        if tags as f64 > MOST_TAGS * inside.len() as f64 {
            return TaughtPage::TooManyTags;
        }
        let codes = symbols.iter().map(|symbol| symbol.code);
        let tokens: Vec<u32> = match self.setting {
            Setting::Article => trigrams(symbols).collect(),
            Setting::CleanEval => codes.clone().collect(),
        };
        for (at, ((token, tag), code)) in tokens.into_iter().zip(unclosed_tags(symbols)).zip(codes).enumerate() {
            let class = if article.contains(&at) { BayesClass::In } else { BayesClass::Out };
            self.counts.observe(class, [token, tag, code]);
        }
        TaughtPage::Learned
    }

    /// The model of all pages so far. O(f log f) for f features.
    ///
    /// # Errors
    /// If all tokens were of one class, so that there was nothing to learn.
    pub fn finish(self) -> Result<MssModel, OneClass> {
        for class in [BayesClass::In, BayesClass::Out] {
            if self.counts.cases(class) == 0 {
                let other = if class == BayesClass::In { BayesClass::Out } else { BayesClass::In };
                return Err(OneClass { missing: class, others: self.counts.cases(other) });
            }
        }
        let table =
            |values: Vec<CountedValue>| TokenOdds::new(values.into_iter().map(|(value, _, odds)| (value, odds)));
        let (setting, recipe, most) = (self.setting, self.recipe, self.most_features);
        let tokens = self.counts.values(0);
        Ok(match recipe {
            Recipe::Paper => {
                let (tokens, tags) = (table(most_telling(tokens, most)), table(self.counts.values(1)));
                MssModel::new(setting, recipe, self.counts.prior(), tokens, tags, TokenOdds::default())
            }
            Recipe::Transfer => {
                let seen = |values: Vec<CountedValue>| {
                    values.into_iter().filter(|&(_, count, _)| count >= LEAST_SEEN).collect()
                };
                let backoff = match setting {
                    Setting::Article => most_telling(seen(self.counts.values(2)), most / BACKOFF_PART),
                    Setting::CleanEval => Vec::new(),
                };
                let tokens = most_telling(seen(tokens), most - backoff.len());
                MssModel::new(setting, recipe, 0.0, table(tokens), TokenOdds::default(), table(backoff))
            }
        })
    }
}

/// A value with its count and its log odds.
type CountedValue = (u32, u64, f64);

/// The values with the largest odds times count. They are in ascending order, as given.
fn most_telling(mut values: Vec<CountedValue>, most: usize) -> Vec<CountedValue> {
    if values.len() > most {
        let weight = |&(_, count, odds): &CountedValue| count as f64 * odds.abs();
        values.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.0.cmp(&b.0)));
        values.truncate(most);
        values.sort_unstable_by_key(|&(value, ..)| value);
    }
    values
}

/// The pages had tokens of one class only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneClass {
    missing: BayesClass,
    others: u64,
}

impl fmt::Display for OneClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.others, self.missing) {
            (0, _) => f.write_str(
                "there was nothing to learn from: no page has an article of fifty words and symbols or more of which at most a fifth is tags; train on pages \
                 whose gold is their article's text",
            ),
            (_, BayesClass::In) => f.write_str("nothing on the training pages is content: train on pages whose gold text is on the page"),
            (_, BayesClass::Out) => f.write_str(
                "everything on the training pages is content, so there is nothing to tell it from: train on whole pages, with their navigation and the rest",
            ),
        }
    }
}

impl std::error::Error for OneClass {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Symbols written as letters: `w` a word, `.` a symbol, `<` a start tag, `>` an end tag.
    fn symbols(text: &str) -> Vec<Symbol> {
        let symbol = |c| match c {
            '<' => Symbol::new(SymbolKind::Open, "<p>"),
            '>' => Symbol::new(SymbolKind::Close, "</p>"),
            '.' => Symbol::new(SymbolKind::Symbol, "."),
            _ => Symbol::new(SymbolKind::Word, "w"),
        };
        text.chars().map(symbol).collect()
    }

    #[test]
    fn the_article_is_a_run() {
        for (page, kept, expect) in [
            ("ww", "  ", None),
            ("<ww><ww.>", "     kk  ", Some(5..8)),
            // A kept word far away does not stretch it, and a gap does not break it.
            ("<w>wwwww<wwww>", " k       kkkk ", Some(9..13)),
            ("wwww.w<.wwww.>", "kkkk    kkkk  ", Some(0..13)),
        ] {
            let kept: Vec<bool> = kept.chars().map(|c| c == 'k').collect();
            assert_eq!(article(&symbols(page), &kept), expect, "{page}");
        }
    }

    #[test]
    fn what_is_hardly_an_article_teaches_nothing() {
        let article = |text: usize, tags: usize| symbols(&("w".repeat(text) + &"<>".repeat(tags / 2)));
        for (text, tags, expect) in [
            (49, 0, TaughtPage::TooShort),
            (50, 0, TaughtPage::Learned),
            (80, 20, TaughtPage::Learned),
            (80, 22, TaughtPage::TooManyTags),
        ] {
            let inside = article(text, tags);
            let range = 0..inside.len();
            assert_eq!(Trainer::new(Setting::Article).learn(&inside, range), expect, "{text} {tags}");
        }
    }

    #[test]
    fn one_class_is_refused_and_the_way_out_named() {
        let mut trainer = Trainer::new(Setting::Article);
        let none = trainer.clone().finish().unwrap_err();
        assert!(none.to_string().contains("nothing to learn from"));
        trainer.learn(&symbols(&"w".repeat(60)), 0..60);
        let all = trainer.finish().unwrap_err();
        assert!(all.to_string().contains("train on whole pages"));
    }

    #[test]
    fn the_recipe_for_transfer_keeps_what_was_seen_twice() {
        let page = symbols(&("<>".repeat(30) + &"w".repeat(60) + "<>."));
        let learned = |recipe, most| {
            let mut trainer = Trainer::new(Setting::Article).with_recipe(recipe).at_most(most);
            trainer.learn(&page, 60..120);
            trainer.finish().unwrap()
        };
        // Trigrams: <><, ><>, <>w, >ww, www, ww<, w<>, <>., and two at the end. Tags: none, since
        // every <p> is empty.
        assert_eq!(learned(Recipe::Paper, usize::MAX).features(), 10 + 1);
        // Of those, <><, ><> and www occur twice. Of single tokens, all but the full stop do.
        assert_eq!(learned(Recipe::Transfer, usize::MAX).features(), 3 + 3);
        assert_eq!(learned(Recipe::Transfer, 4).features(), 4);
    }

    #[test]
    fn the_most_telling_values_stay() {
        let values = vec![(1, 1, 0.5), (2, 9, -0.5), (3, 2, 2.0), (4, 100, 0.0)];
        assert_eq!(most_telling(values.clone(), 2), [(2, 9, -0.5), (3, 2, 2.0)]);
        assert_eq!(most_telling(values.clone(), 4), values);
    }
}
