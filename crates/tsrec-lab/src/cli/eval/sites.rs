//! The pages of a set, site by site. Each page is parsed once and has its siblings. Memory holds
//! only the pages of the sites in work.

use std::sync::OnceLock;

use anyhow::Result;

use super::args::Args;
use crate::cli::corpus::{Corpus, SetPage};
use tsrec_core::evidence;
use tsrec_core::evidence::lesson::BlockLesson;
use tsrec_core::extract::{Extractor, Page, Sibling};
use tsrec_core::html::{Document, Limits};
use tsrec_core::template::Memory;
use tsrec_papers::style::Styles;
use tsrec_terminal::input::Input;
use tsrec_terminal::parallel::in_parallel_with;
use tsrec_terminal::progress::{Counter, progress};
use tsrec_terminal::viewer::{View, Viewer};

/// The number of pages of other sites that `--strangers` offers: as many siblings as a crawl tries.
const STRANGERS: usize = crate::cli::labels::SIBLINGS_TRIED;

/// Pages that are read together, as numbers in the set.
struct PageGroup {
    pages: Vec<usize>,
    /// The first `own` pages are extracted. The others are only for comparison.
    own: usize,
}

/// A page to extract, with the pages that it may be compared with.
pub(super) struct EvalSubject<'s> {
    pub(super) corpus: &'s Corpus,
    /// Its number in the set.
    pub(super) index: usize,
    views: &'s [View],
    pages: &'s [Page<'s>],
    /// The memory of each page, created on demand.
    memories: &'s [OnceLock<Option<Memory>>],
    /// The same, with a person's labels.
    taught: &'s [OnceLock<Option<Memory>>],
    /// Its index among the pages that were read together.
    at: usize,
    /// The pages to compare with, as numbers in the set and indexes in the group, the best first.
    others: Vec<(usize, usize)>,
}

impl<'s> EvalSubject<'s> {
    pub(super) fn entry(&self) -> SetPage<'s> {
        self.corpus.entry(self.index)
    }

    pub(super) fn page(&self) -> &'s Page<'s> {
        &self.pages[self.at]
    }

    /// Its look, if it was rendered.
    pub(super) fn styles(&self) -> Option<&'s Styles> {
        self.views[self.at].styles.as_ref()
    }

    /// The number of pages to compare it with.
    pub(super) fn offered(&self) -> usize {
        self.others.len()
    }

    /// At most `most` pages to compare it with, the best first. A person labelled the content of
    /// the first `taught` of them. All pages of a site go to the same method.
    pub(super) fn siblings(&self, most: usize, taught: usize, method: &dyn Extractor) -> Result<Vec<Sibling<'s>>> {
        let sibling = |(number, &(index, at)): (usize, &(usize, usize))| {
            let memory = match number < taught {
                true => self.taught_memory(index, at, method)?,
                false => self.memories[at].get_or_init(|| remember(method, &self.pages[at])).as_ref(),
            };
            let sibling = Sibling::new(&self.corpus.entry(index).info.id, &self.pages[at]);
            Ok(memory.into_iter().fold(sibling, Sibling::with_memory))
        };
        self.others.iter().take(most).enumerate().map(sibling).collect()
    }

    /// The page's memory with a person's labels. A page with less than half of its gold text gets
    /// no labels: nobody could have marked missing text.
    fn taught_memory(&self, index: usize, at: usize, method: &dyn Extractor) -> Result<Option<&'s Memory>> {
        if self.taught[at].get().is_none() {
            let page = &self.pages[at];
            let mut memory = remember(method, page);
            if let (Some(memory), Some(gold)) = (&mut memory, self.corpus.entry(index).gold(page.document())?)
                && gold.kept() >= gold.lost
            {
                let lesson = BlockLesson::new(page.analysis().clone(), None, None, &gold);
                evidence::teach(memory, page.analysis(), &lesson.said());
            }
            // Only one thread at a time works on a page.
            let _ = self.taught[at].set(memory);
        }
        Ok(self.taught[at].get().and_then(Option::as_ref))
    }
}

/// What other pages of the site remember of this page. `None` if the method needs no memory.
fn remember(method: &dyn Extractor, page: &Page<'_>) -> Option<Memory> {
    method.score().map(|score| score.remember(page))
}

/// Runs `work` on the pages of a set that `is_wanted` accepts, on all processors. Returns the
/// results with the pages' numbers, in their order.
pub(super) fn over_pages<R: Send>(
    args: &Args,
    corpus: &Corpus,
    is_wanted: impl Fn(usize) -> bool,
    work: impl Fn(&EvalSubject<'_>) -> Result<R> + Sync,
) -> Result<Vec<(usize, R)>> {
    let mut groups = if args.strangers { with_strangers(corpus) } else { by_site(corpus) };
    groups.retain(|group| group.pages[..group.own].iter().any(|&page| is_wanted(page)));
    // The largest first, so that no large group starts when all others are done.
    groups.sort_by_key(|group| std::cmp::Reverse(group.pages.len()));
    let wanted: Vec<bool> = (0..corpus.len()).map(is_wanted).collect();
    let counter = Counter::new(format!("pages of {}", corpus.name()), wanted.iter().filter(|wanted| **wanted).count());
    let done = in_parallel_with(
        &groups,
        || Viewer::new(&args.render),
        |viewer, group| {
            let views = group.pages.iter().map(|&page| view(viewer, corpus, page)).collect::<Result<Vec<View>>>()?;
            let urls = group.pages.iter().map(|&page| corpus.entry(page).info.url.as_ref());
            let pages: Vec<Page<'_>> =
                views.iter().zip(urls).map(|(view, url)| Page::new(&view.document).at(url)).collect();
            let memories: Vec<OnceLock<Option<Memory>>> = pages.iter().map(|_| OnceLock::new()).collect();
            let taught: Vec<OnceLock<Option<Memory>>> = pages.iter().map(|_| OnceLock::new()).collect();
            let own = group.pages[..group.own].iter().enumerate().filter(|(_, page)| wanted[**page]);
            own.map(|(at, &index)| {
                counter.step();
                let others = group.others(corpus, at);
                let subject = EvalSubject {
                    corpus,
                    index,
                    views: &views,
                    pages: &pages,
                    memories: &memories,
                    taught: &taught,
                    at,
                    others,
                };
                Ok((index, work(&subject)?))
            })
            .collect::<Result<Vec<_>>>()
        },
    );
    let mut results: Vec<(usize, R)> = done.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    results.sort_by_key(|(page, _)| *page);
    Ok(results)
}

impl PageGroup {
    /// The pages that the page at this index may be compared with.
    fn others(&self, corpus: &Corpus, at: usize) -> Vec<(usize, usize)> {
        if self.own < self.pages.len() {
            return (self.own..self.pages.len()).map(|at| (self.pages[at], at)).collect();
        }
        let place = |page: usize| self.pages.binary_search(&page).expect("siblings are of one group");
        let siblings = corpus.set.siblings(self.pages[at], self.pages.len());
        siblings.into_iter().map(|page| (page, place(page))).collect()
    }
}

fn by_site(corpus: &Corpus) -> Vec<PageGroup> {
    corpus.set.sites().into_iter().map(|pages| PageGroup { own: pages.len(), pages }).collect()
}

fn with_strangers(corpus: &Corpus) -> Vec<PageGroup> {
    let group = |page| {
        let strangers = corpus.set.strangers(page, STRANGERS);
        PageGroup { pages: std::iter::once(page).chain(strangers).collect(), own: 1 }
    };
    (0..corpus.len()).map(group).collect()
}

/// Every page of a set, for code that needs all of them at once.
pub(super) fn view_all(args: &Args, corpus: &Corpus) -> Result<Vec<Document>> {
    let pages: Vec<usize> = (0..corpus.len()).collect();
    let views = in_parallel_with(&pages, || Viewer::new(&args.render), |viewer, &page| view(viewer, corpus, page));
    views.into_iter().map(|view| Ok(view?.document)).collect()
}

/// Parses or renders a page. If rendering fails, it parses the page instead and names it in a
/// message.
fn view(viewer: &mut Result<Viewer>, corpus: &Corpus, page: usize) -> Result<View> {
    let viewer = viewer.as_mut().map_err(|error| anyhow::anyhow!("{error:#}"))?;
    let entry = corpus.entry(page);
    let page = Input { name: entry.info.id.clone(), bytes: entry.html()?, charset: None, url: None };
    viewer.view(&page, &Limits::default()).or_else(|error| {
        progress(&format!("{}: {error:#}; parsed instead\n", corpus.name()));
        Viewer::Parser.view(&page, &Limits::default())
    })
}
