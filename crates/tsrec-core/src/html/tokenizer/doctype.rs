//! `<!doctype …>`.

use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Doctype, Token, TokenSink, TokenSinkResult, Tokenizer as Reference, TokenizerOpts};

/// Reads `<!doctype …>`. A page has one, so html5ever's tokenizer is fast enough for all but the
/// plainest.
pub(super) fn doctype(text: &str) -> Doctype {
    if text.eq_ignore_ascii_case("<!doctype html>") {
        return Doctype { name: Some("html".into()), ..Doctype::default() };
    }
    #[derive(Default)]
    struct Caught(std::cell::RefCell<Option<Doctype>>);
    impl TokenSink for Caught {
        type Handle = ();
        fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
            if let Token::DoctypeToken(doctype) = token {
                self.0.borrow_mut().get_or_insert(doctype);
            }
            TokenSinkResult::Continue
        }
    }
    let tokenizer = Reference::new(Caught::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.0.take().unwrap_or_default()
}
