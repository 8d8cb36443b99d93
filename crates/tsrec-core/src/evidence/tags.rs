//! Evidence from the elements around a block.

use super::column::{evidence, flag};
use super::reader::Above;
use crate::analysis::Tag;

evidence! { Tags, |above: &Above<'_>| {
    "in p", "1 in a p", flag(above.has(Tag::P));
    "in item", "1 in a li", flag(above.has(Tag::Item));
    "in list", "lists around it", above.count(Tag::List);
    "in description", "1 in a dt or dd", flag(above.has(Tag::Description));
    "heading", "the level of the heading it is, 0 for none", above.heading();
    "in cell", "1 in a td or th", flag(above.has(Tag::Cell));
    "in tables", "tables and their parts around it", above.count(Tag::Table);
    "in pre", "1 in preformatted text", flag(above.has(Tag::Pre));
    "in code", "1 in code", flag(above.has(Tag::Code));
    "in quote", "1 in a blockquote", flag(above.has(Tag::Blockquote));
    "in figure", "1 in a figure", flag(above.has(Tag::Figure));
    "in caption", "1 in a caption", flag(above.has(Tag::Caption));
    "in article", "levels up to the nearest article", above.levels_to(Tag::Article);
    "in main", "levels up to main", above.levels_to(Tag::Main);
    "in section", "sections around it", above.count(Tag::Section);
    "in nav", "1 in a nav", flag(above.has(Tag::Nav));
    "in aside", "1 in an aside", flag(above.has(Tag::Aside));
    "in header", "levels up to the nearest header", above.levels_to(Tag::Header);
    "in footer", "levels up to the nearest footer", above.levels_to(Tag::Footer);
    "in form", "1 in a form", flag(above.has(Tag::Form));
    "in control", "1 in a button, a label, a fieldset", flag(above.has(Tag::Control));
    "in details", "1 in details", flag(above.has(Tag::Details));
    "in dialog", "1 in a dialog", flag(above.has(Tag::Dialog));
    "in address", "1 in an address", flag(above.has(Tag::Address));
    "in time", "1 in a time", flag(above.has(Tag::Time));
    "in span", "spans around it", above.count(Tag::Span);
    "in emphasis", "1 where its first text is in b, strong, i, em", flag(above.has(Tag::Emphasis));
    "flow tag", "the element that breaks the flow: 0 div, 1 p, 2 li, 3 cell, 4 heading, 5 other", above.flow_kind();
    "depth", "containers around it", above.depth();
    "articles on page", "article elements around the page's text", above.articles_on_page();
} }
