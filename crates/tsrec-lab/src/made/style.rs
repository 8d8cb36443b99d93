//! How a template names its elements.

use super::prose::Chance;

/// What an element is for.
#[derive(Clone, Copy)]
pub(super) enum ElementRole {
    Page,
    Header,
    Navigation,
    Main,
    Content,
    Sidebar,
    Footer,
    Related,
    Newsletter,
    Advertisement,
    Tags,
    Share,
    Comments,
    Writer,
    Helpful,
    Pager,
    Contents,
    Path,
    Notice,
    Hidden,
    Note,
    Item,
}

/// The names that authors give to the element of a role.
const NAMES: [&[&str]; 22] = [
    &["page", "wrapper", "site", "container", "app"],
    &["header", "masthead", "top", "site-header", "banner"],
    &["nav", "menu", "navigation", "main-nav", "navbar"],
    &["main", "columns", "row", "document", "site-main"],
    &["content", "article", "post", "body", "story", "entry", "section"],
    &["sidebar", "aside", "left", "secondary", "rail"],
    &["footer", "bottom", "site-footer", "foot", "colophon"],
    &["related", "more", "recommended", "also", "teasers"],
    &["newsletter", "signup", "subscribe", "mailing", "cta"],
    &["ad", "advert", "banner-slot", "sponsor", "promo"],
    &["tags", "topics", "keywords", "labels", "terms"],
    &["share", "social", "sharing", "tools", "actions"],
    &["comments", "discussion", "replies", "responses", "talk"],
    &["author", "writer", "bio", "about-author", "profile"],
    &["feedback", "helpful", "rating", "vote", "survey"],
    &["pager", "prev-next", "pagination", "navfooter", "turn"],
    &["toc", "on-this-page", "outline", "contents", "local-nav"],
    &["breadcrumbs", "path", "crumbs", "trail", "location"],
    &["notice", "consent", "cookies", "gdpr", "bar"],
    &["hidden", "modal", "overlay", "dialog", "visually-hidden"],
    &["note", "admonition", "tip", "callout", "info"],
    &["item", "card", "box", "entry", "cell"],
];

/// How names are written.
#[derive(Clone, Copy)]
enum Naming {
    Class,
    Id,
    /// `site__menu`.
    Block,
    /// `css-3f2a1c`: it says nothing.
    Hashed,
    /// No name at all.
    None,
}

/// The naming of a template.
pub(super) struct NamingStyle {
    seed: usize,
    naming: Naming,
    /// Whether HTML's own elements (`nav`, `main`, `aside`) are used.
    pub(super) semantic: bool,
}

impl NamingStyle {
    pub(super) fn by_chance(chance: &mut Chance) -> Self {
        let naming = chance.one_of(&[
            Naming::Class,
            Naming::Class,
            Naming::Class,
            Naming::Id,
            Naming::Block,
            Naming::Hashed,
            Naming::None,
        ]);
        NamingStyle { seed: chance.from(0, 9_999), naming, semantic: chance.is(0.5) }
    }

    /// The start of a tag: `semantic` if the template uses such elements, or else a `div`, with the
    /// role's name.
    pub(super) fn open(&self, semantic: &str, role: ElementRole) -> String {
        let tag = if self.semantic { semantic } else { "div" };
        self.tag(tag, role)
    }

    /// The start of a tag with the role's name.
    pub(super) fn tag(&self, tag: &str, role: ElementRole) -> String {
        let names = NAMES[role as usize];
        let name = names[(self.seed / (role as usize + 1)) % names.len()];
        match self.naming {
            Naming::Class => format!("{tag} class=\"{name}\""),
            Naming::Id => format!("{tag} id=\"{name}\""),
            Naming::Block => format!("{tag} class=\"b{} b{}__{name}\"", self.seed % 7, self.seed % 7),
            Naming::Hashed => {
                let hash = (self.seed * 31 + role as usize) as u64 * 0x9e37_79b9;
                format!("{tag} class=\"css-{:06x}\"", hash & 0xff_ffff)
            }
            Naming::None => tag.to_owned(),
        }
    }
}
