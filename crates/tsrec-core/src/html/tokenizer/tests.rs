//! Compares our tokens with those of html5ever's tokenizer.

use std::cell::RefCell;

use html5ever::buffer_queue::BufferQueue;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tokenizer as Reference, TokenizerOpts};
use html5ever::{TokenizerResult, local_name};
use proptest::prelude::*;

use super::*;

/// Records tokens. It switches the tokenizer's states like the tree builder, except for namespaces:
/// those follow `svg` tags.
#[derive(Default)]
struct Record {
    tokens: RefCell<Vec<String>>,
    foreign: RefCell<bool>,
}

impl TokenSink for Record {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut tokens = self.tokens.borrow_mut();
        match token {
            Token::ParseError(_) => {}
            // Adjacent texts become one. Of comments only the place is compared.
            Token::CharacterTokens(text) if text.is_empty() => {}
            Token::CharacterTokens(text) => match tokens.last_mut() {
                Some(last) if last.starts_with("text ") => last.push_str(&text),
                _ => tokens.push(format!("text {text}")),
            },
            Token::CommentToken(_) => tokens.push("comment".to_owned()),
            Token::TagToken(tag) => {
                let mut line = format!("{:?} {:?}", tag.kind, tag.name);
                if tag.kind == TagKind::StartTag {
                    line.extend(tag.attrs.iter().map(|a| format!(" {:?}={:?}", &*a.name.local, &*a.value)));
                    line.push_str(if tag.self_closing { " /" } else { "" });
                }
                tokens.push(line);
                if tag.name == local_name!("svg") {
                    *self.foreign.borrow_mut() = tag.kind == TagKind::StartTag;
                }
                if tag.kind == TagKind::StartTag {
                    return match tag.name {
                        local_name!("script") => TokenSinkResult::RawData(RawKind::ScriptData),
                        local_name!("style") | local_name!("xmp") => TokenSinkResult::RawData(RawKind::Rawtext),
                        local_name!("title") | local_name!("textarea") => TokenSinkResult::RawData(RawKind::Rcdata),
                        local_name!("plaintext") => TokenSinkResult::Plaintext,
                        _ => TokenSinkResult::Continue,
                    };
                }
            }
            token => tokens.push(format!("{token:?}")),
        }
        TokenSinkResult::Continue
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        *self.foreign.borrow()
    }
}

impl Receiver for Record {
    fn take_attributes<'a>(&self, _name: &LocalName, _list: impl Iterator<Item = (LocalName, &'a str)>) -> bool {
        false
    }

    fn is_full(&self) -> bool {
        false
    }
}

fn ours(text: &str) -> Vec<String> {
    let text = normalised(text);
    let mut tokenizer = Tokenizer::new(&text, Record::default(), usize::MAX);
    tokenizer.run();
    tokenizer.receiver.tokens.into_inner()
}

fn theirs(text: &str) -> Vec<String> {
    let tokenizer = Reference::new(Record::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.tokens.into_inner()
}

#[test]
fn tokens_are_those_of_the_reference() {
    for text in [
        "",
        "<",
        "</",
        "</>a</ b>c",
        "<p",
        "<p a",
        "<p a=",
        "<p a='b",
        "a < b && c &amp; d &ampe &notit; &#x80; &#0; &#xD800; &#99999999999; &#; &#x; &nosuch; &nGt;",
        "<a href='?a=1&copy=2&copy;&amp'x=&lt y/=z / b==c a=again>",
        "<P CLASS=X id = 'y' =z>a</P bogus='>'>b</p/>",
        "<title>a &amp; b</titles></title x>c",
        "<textarea>\n<p>&lt;</textarea\n>",
        "<script>if (a<b && c) '</scripts>' </script>x",
        "<script><!-- <script> </script> --> </script>x",
        "<script><!-- <script> </script> </script>x",
        "<script><!--> <script> </script>x",
        "<script><!-- <scripted </script>x",
        "<script><!-- </script",
        "<style><p>&amp;</style >x",
        "<!-->a<!--->b<!-- c --!>d<!--e--->f<!-- <!-->g<!--!>h-->i<!-",
        "<!doctype html><!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01//EN' x><!doctype",
        "<!doctype><!doctype ><!doctypehtml><!DocType\n\tHTML\u{c}><!doctype h\0tml><!doctype html>",
        "<!doctype html public><!doctype html public ><!doctype html public x><!doctype html publi>",
        "<!doctype html public'a'><!doctype html public 'a' ><!doctype html public \"a\0'b\"><!doctype html public 'a>",
        "<!doctype html PUBLIC 'a'\"b\"><!doctype html public '' ''><!doctype html public 'a' b><!doctype html public 'a''b>",
        "<!doctype html system><!doctype html SYSTEM 'a'><!doctype html system\"a\" x><!doctype html system a>",
        "<!doctype html system 'a' 'b'><!doctype html x><!doctype é>",
        "<!doctype html ",
        "<!doctype html public",
        "<!doctype html public 'a",
        "<!doctype html public 'a' ",
        "<!doctype html system 'a'",
        "<!doctype html system 'a' x",
        "<![CDATA[a]]>b<svg><![CDATA[<a>]]]>c</svg><?php ?>d<!e>",
        "a\r\nb\rc\r\r\nd&#13;e",
        "\u{feff}a\0b<p\0 a\0=\0>\0<title>\0</title><svg><![CDATA[\0x]]>",
        "<plaintext>a<b>&amp;\0",
        "é<é><p é=è>&eacute;&Eacute",
    ] {
        assert_eq!(ours(text), theirs(text), "{text:?}");
    }
}

/// Pages made of pieces of markup, well-formed or not.
fn pages() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<",
        ">",
        "/",
        "!",
        "?",
        "-",
        "--",
        "-->",
        "<!--",
        "--!>",
        "=",
        "'",
        "\"",
        " ",
        "\n",
        "\r",
        "\0",
        "&",
        ";",
        "#",
        "x",
        "a",
        "<p",
        "</p",
        "<a href",
        "</",
        "<script",
        "</script",
        "script",
        "<title",
        "</title",
        "<style>",
        "</style>",
        "<svg>",
        "</svg>",
        "<![CDATA[",
        "]]>",
        "<!doctype",
        " html",
        " public",
        "system ",
        "amp",
        "&amp;",
        "&not",
        "it;",
        "&#38",
        "&#x2",
        "é",
        "P",
        "text",
        "<textarea>",
        "</textarea>",
        "<plaintext>",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn tokens_of_any_page_are_those_of_the_reference(page in pages()) {
        prop_assert_eq!(ours(&page), theirs(&page));
    }
}
