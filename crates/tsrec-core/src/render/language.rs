//! The language of preformatted text, as the programs that mark it up name it.
//!
//! Highlighters and generators put it into a class of the `pre`, of the `code` in it, or of an
//! element around it: `language-rust` (HTML standard, Prism, Rouge), `lang-rust`, `hljs rust`
//! (highlight.js), `highlight-rust` (Sphinx), `sourceCode rust` (pandoc), `src-rust` (Org mode),
//! `brush: rust` (SyntaxHighlighter), `mw-highlight-lang-rust` (MediaWiki), or into an attribute.

use crate::html::document::{Document, NodeId};
use crate::html::is_space;

/// Names that pages give to code without a language, or with one that a program guessed.
const NO_LANGUAGES: [&str; 15] = [
    "auto",
    "code",
    "default",
    "hljs",
    "no-highlight",
    "nohighlight",
    "none",
    "null",
    "plain",
    "plaintext",
    "raw",
    "text",
    "txt",
    "undefined",
    "unknown",
];

/// Names of languages that stand as a class without a prefix, or on an element around the code,
/// where a class may also name a human language. From the aliases of Pygments, Rouge and
/// highlight.js, without those that are common words of layout.
#[rustfmt::skip]
const KNOWN: &[&str] = &[
    "actionscript", "ada", "apache", "apacheconf", "applescript", "arduino", "armasm", "asciidoc", "asm", "aspnet", "autohotkey", "awk", "bash",
    "bat", "batch", "bibtex", "c", "c#", "c++", "caddyfile", "clj", "clojure", "cmake", "cmd", "cobol", "coffeescript", "common-lisp", "console",
    "cpp", "crystal", "cs", "csharp", "css", "csv", "cuda", "cython", "d", "dart", "diff", "django", "docker", "dockerfile", "dos", "dot",
    "elisp", "elixir", "elm", "emacs-lisp", "erb", "erlang", "excel", "f#", "fish", "fortran", "fsharp", "gdscript", "gherkin", "glsl", "go",
    "golang", "gradle", "graphql", "groovy", "haml", "handlebars", "haskell", "hcl", "hlsl", "htm", "html", "http", "ini", "ipython",
    "ipython3", "java", "javascript", "jinja", "jinja2", "js", "json", "json5", "jsonc", "jsx", "julia", "kotlin", "kt", "latex", "less", "lisp",
    "llvm", "lua", "makefile", "markdown", "mathematica", "matlab", "md", "mermaid", "mysql", "nasm", "nginx", "nim", "nix", "objc",
    "objective-c", "objectivec", "ocaml", "octave", "pascal", "patch", "perl", "pgsql", "php", "postgresql", "powershell", "prolog",
    "properties", "proto", "protobuf", "ps1", "py", "py3", "pycon", "python", "python3", "qml", "r", "racket", "rb", "rest", "ruby", "rust", "sass",
    "scala", "scheme", "scss", "sed", "sh", "shell", "shell-session", "smalltalk", "solidity", "sql", "svelte", "swift", "tcl", "terraform", "tex",
    "toml", "ts", "tsx",
    "typescript", "vb", "vbnet", "vbscript", "verilog", "vhdl", "vim", "viml", "vue", "wasm", "x86asm", "xml", "xquery", "yaml", "yml", "zig", "zsh",
];

/// Beginnings of a class before the name of the language.
const PREFIXES: [&str; 9] = [
    "language-",
    "lang-",
    "highlight-source-",
    "highlight-text-",
    "mw-highlight-lang-",
    "highlight-",
    "src-",
    "lang:",
    "source-",
];
/// Attributes with the name of the language.
const ATTRIBUTES: [&str; 6] =
    ["data-lang", "data-language", "data-enlighter-language", "data-code-language", "data-canonical-lang", "lang"];
/// Attributes with settings of SyntaxHighlighter.
const SETTINGS: [&str; 2] = ["class", "data-syntaxhighlighter-params"];
/// How many elements below are examined: mostly there is only one child.
const ASKED_BELOW: usize = 3;
/// How many elements around are examined: a table with line numbers has six.
const ASKED_AROUND: usize = 8;

/// The language of preformatted text, in lower case. Empty if the page names none.
pub(super) fn language(document: &Document, node: NodeId) -> String {
    let own = document.descendants(node).filter(|node| document.local_name(*node).is_some()).take(ASKED_BELOW);
    let own = own.filter(|&one| one == node || document.is_element(one, "code") || document.is_element(one, "pre"));
    let named = own.flat_map(|node| names(document, node, true)).find(|name| !is_none(name));
    let around = || {
        let is_page = |&around: &NodeId| matches!(document.name(around), Some("article" | "main" | "body" | "li"));
        let around = document.ancestors(node).take(ASKED_AROUND).take_while(|around| !is_page(around));
        let mut names = around.flat_map(|node| names(document, node, false));
        names.find(|name| !is_none(name) && is_known(name))
    };
    let named = named.or_else(around).unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '.' | '_');
    if named.len() <= 32 && named.chars().all(is_name) { named } else { String::new() }
}

fn is_known(name: &str) -> bool {
    KNOWN.contains(&name)
}

fn is_none(name: &str) -> bool {
    name.is_empty() || NO_LANGUAGES.contains(&name)
}

/// The languages that an element names, the surest first. `is_own` if it is the code itself, whose
/// classes may be a bare name.
fn names(document: &Document, node: NodeId, is_own: bool) -> Vec<String> {
    let mut names = Vec::new();
    for name in ATTRIBUTES {
        let given = document.attribute(node, name).map(|value| value.trim().to_lowercase());
        // `lang` is mostly a human language.
        names.extend(given.filter(|given| name != "lang" || is_own && is_known(given) && given.len() > 2));
    }
    for name in SETTINGS {
        names.extend(document.attribute(node, name).and_then(brush));
    }
    let classes = document.attribute(node, "class").unwrap_or_default().to_lowercase();
    let classes = || classes.split(|c| is_space(c) || c == ';');
    names.extend(classes().filter_map(prefixed).map(str::to_owned));
    let is_of_highlighter = |class: &str| {
        matches!(class, "highlight" | "codehilite" | "sourcecode" | "hljs" | "mw-geshi" | "syntaxhighlighter")
    };
    if is_own || classes().any(is_of_highlighter) {
        names.extend(classes().filter(|class| is_known(class)).map(str::to_owned));
    }
    names
}

/// The name after a prefix.
fn prefixed(class: &str) -> Option<&str> {
    let name = PREFIXES.iter().find_map(|prefix| class.strip_prefix(prefix))?;
    // GitHub writes `highlight-text-html-basic`, Sphinx `highlight-text`.
    match name {
        "html-basic" | "xml-svg" => name.split('-').next(),
        name => Some(name),
    }
}

/// The language in settings such as `brush: rust; gutter: false`.
fn brush(settings: &str) -> Option<String> {
    let (_, after) = settings.split_once("brush:")?;
    let name = after.trim_start().split(|c| is_space(c) || c == ';').next()?;
    Some(name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    #[test]
    fn each_program_names_the_language_in_its_own_way() {
        for (page, expect) in [
            // The HTML standard, Prism, highlight.js.
            ("<pre><code class=language-rust>x</code></pre>", "rust"),
            ("<pre class='language-C++ line-numbers'>x</pre>", "c++"),
            ("<pre><code class='hljs rust'>x</code></pre>", "rust"),
            ("<pre class='hljs'><code class='ruby hljs'>x</code></pre>", "ruby"),
            ("<pre><code class='hljs language-kotlin'>x</code></pre>", "kotlin"),
            ("<pre lang=ruby><code>x</code></pre>", "ruby"),
            // Sphinx, with and without numbers; docutils; MkDocs.
            ("<div class='highlight-python notranslate'><div class=highlight><pre>x</pre></div></div>", "python"),
            (
                "<div class=highlight-c><div class=highlight><table class=highlighttable><tr><td class=linenos><div class=linenodiv><pre>1\n2</pre></div></td><td class=code><div class=highlight><pre id=this>x</pre></div></td></tr></table></div></div>",
                "c",
            ),
            ("<div class='highlight-default notranslate'><div class=highlight><pre>x</pre></div></div>", ""),
            ("<div class='highlight-none'><div class=highlight><pre>x</pre></div></div>", ""),
            ("<pre class='code python literal-block'>x</pre>", "python"),
            ("<div class='language-yaml highlight'><pre><span></span><code>x</code></pre></div>", "yaml"),
            ("<div class='codehilite toml'><pre>x</pre></div>", "toml"),
            // pandoc, Rouge, Chroma, GitHub, GitLab, Org mode, MediaWiki, GeSHi, Asciidoctor.
            (
                "<div class=sourceCode><pre class='sourceCode numberSource haskell numberLines'><code class='sourceCode haskell'>x</code></pre></div>",
                "haskell",
            ),
            (
                "<div class='language-ruby highlighter-rouge'><div class=highlight><pre class=highlight><code>x</code></pre></div></div>",
                "ruby",
            ),
            (
                "<div class='language-ruby highlighter-rouge'><div class=highlight><pre class=highlight><code><table class=rouge-table><tr><td class=rouge-gutter><pre>1</pre></td><td class=rouge-code><pre id=this>x</pre></td></tr></table></code></pre></div></div>",
                "ruby",
            ),
            ("<figure class=highlight><pre><code class=language-go data-lang=go>x</code></pre></figure>", "go"),
            ("<div class='highlight highlight-source-shell'><pre>x</pre></div>", "shell"),
            ("<div class='highlight highlight-text-html-basic'><pre>x</pre></div>", "html"),
            (
                "<pre class='code highlight js-syntax-highlight' data-canonical-lang=elixir><code>x</code></pre>",
                "elixir",
            ),
            ("<div class=org-src-container><pre class='src src-emacs-lisp'>x</pre></div>", "emacs-lisp"),
            ("<div class='mw-highlight mw-highlight-lang-lua mw-content-ltr'><pre>x</pre></div>", "lua"),
            ("<pre class='code php'>x</pre>", "php"),
            (
                "<pre class='highlightjs highlight'><code class='language-java hljs' data-lang=java>x</code></pre>",
                "java",
            ),
            // SyntaxHighlighter, Enlighter, Crayon, prettify, and plain class names.
            ("<pre class='brush: js; gutter: false'>x</pre>", "js"),
            ("<pre class='brush:php;toolbar:false'>x</pre>", "php"),
            (
                "<pre data-syntaxhighlighter-params='brush: java; gutter: false' class=syntaxhighlighter-pre>x</pre>",
                "java",
            ),
            ("<pre class=EnlighterJSRAW data-enlighter-language=css>x</pre>", "css"),
            ("<pre class='lang:python decode:true'>x</pre>", "python"),
            ("<pre class='prettyprint lang-vb linenums'>x</pre>", "vb"),
            ("<pre class=sql>x</pre>", "sql"),
            ("<pre><code class=python>x</code></pre>", "python"),
            (
                "<div class=language-jsx><div class=content><pre class=prism-code><code>x</code></pre></div></div>",
                "jsx",
            ),
            // No language, or a human one.
            ("<pre class='box wide'>x</pre>", ""),
            ("<pre lang=en>x</pre>", ""),
            ("<pre lang=de><code>x</code></pre>", ""),
            ("<div class='post lang-en'><pre>x</pre></div>", ""),
            ("<div class=language-de><pre>x</pre></div>", ""),
            ("<pre><span class=k>x</span></pre>", ""),
            ("<pre><b class=c>x</b></pre>", ""),
            ("<article class=language-rust><pre>x</pre></article>", ""),
            ("<pre class=language-none><code class=language-c>x</code></pre>", "c"),
            ("<pre class='language-\"x'>x</pre>", ""),
        ] {
            let document = parse(page.as_bytes(), None, &Default::default());
            let mut codes: Vec<NodeId> =
                document.descendants(document.root()).filter(|&node| document.is_element(node, "pre")).collect();
            let this = codes.iter().position(|&node| document.attribute(node, "id") == Some("this"));
            assert_eq!(language(&document, codes.swap_remove(this.unwrap_or(0))), expect, "{page}");
        }
    }
}
