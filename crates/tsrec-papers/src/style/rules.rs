//! An index of a page's rules. As in browsers, each selector is filed under the id, class or name
//! in its last compound. So an element is compared with only a few of them.

use std::collections::HashMap;

use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::matches_selector;
use selectors::parser::Component;

use super::declaration::DeclarationBlock;
use super::name::CssName;
use super::selector::Selector;
use super::sheet::CssRule;
use super::tree::{StyleNode, StyleTree};
use tsrec_core::html::Document;

/// The rules of a page's style sheets.
#[derive(Default)]
pub(super) struct CssRules {
    blocks: Vec<DeclarationBlock>,
    selectors: Vec<IndexedSelector>,
    /// Indices of `selectors`. Ids and classes are in lower case, since quirks mode ignores case.
    by_id: HashMap<CssName, Vec<usize>>,
    by_class: HashMap<CssName, Vec<usize>>,
    by_name: HashMap<CssName, Vec<usize>>,
    rest: Vec<usize>,
    has_quirks: bool,
}

struct IndexedSelector {
    selector: Selector,
    /// Index into `blocks`.
    block: usize,
}

impl CssRules {
    pub(super) fn new(document: &Document, rules: Vec<CssRule>) -> Self {
        let mut filed = CssRules { has_quirks: document.has_quirks(), ..CssRules::default() };
        for CssRule { selectors, block } in rules {
            for selector in selectors {
                filed.file(selector);
            }
            filed.blocks.push(block);
        }
        filed
    }

    fn file(&mut self, selector: Selector) {
        let (mut id, mut class, mut name) = (None, None, None);
        for component in selector.iter() {
            match component {
                Component::ID(own) => id = Some(own.clone()),
                Component::Class(own) => class = Some(own.clone()),
                Component::LocalName(own) => name = Some(own.lower_name.clone()),
                _ => {}
            }
        }
        let bucket = match (id, class, name) {
            (Some(id), _, _) => self.by_id.entry(lower(&id)).or_default(),
            (_, Some(class), _) => self.by_class.entry(lower(&class)).or_default(),
            (_, _, Some(name)) => self.by_name.entry(name).or_default(),
            (None, None, None) => &mut self.rest,
        };
        bucket.push(self.selectors.len());
        self.selectors.push(IndexedSelector { selector, block: self.blocks.len() });
    }

    /// True if there are no rules.
    pub(super) fn is_empty(&self) -> bool {
        self.selectors.is_empty()
    }

    /// The declarations that apply to an element; the winning ones are last. Every selector that is
    /// tried counts as a step of the tree's work.
    pub(super) fn matching(
        &self,
        tree: &StyleTree<'_>,
        node: StyleNode<'_>,
        name: &CssName,
        caches: &mut SelectorCaches,
    ) -> Vec<&DeclarationBlock> {
        let mode = if self.has_quirks { QuirksMode::Quirks } else { QuirksMode::NoQuirks };
        let mut context = MatchingContext::new(
            MatchingMode::Normal,
            None,
            caches,
            mode,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        let by_id = node.own_id().and_then(|id| self.by_id.get(&lower(id)));
        let by_class = node.classes().iter().filter_map(|class| self.by_class.get(&lower(class)));
        let candidates = by_id.into_iter().chain(by_class).chain(self.by_name.get(name)).chain([&self.rest]).flatten();
        let mut found: Vec<(u32, usize)> = candidates
            .filter(|&&index| {
                tree.step(1) && matches_selector(&self.selectors[index].selector, 0, None, node, &mut context)
            })
            .map(|&index| (self.selectors[index].selector.specificity(), self.selectors[index].block))
            .collect();
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|(_, block)| &self.blocks[block]).collect()
    }
}

fn lower(name: &CssName) -> CssName {
    match name.as_ref().bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => CssName(name.0.to_ascii_lowercase()),
        false => name.clone(),
    }
}
