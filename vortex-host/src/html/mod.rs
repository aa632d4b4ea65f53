//! The common parts of pages: they open from disk, without a network, and are light or dark.

pub mod axis;

use std::fmt::{self, Write as _};

use serde::Serialize;
use vortex_kernel::escape;

use crate::json;

/// Light or dark: as the system is, or as the button or the address says.
const THEME: &str = include_str!("theme.js");

/// Text as HTML, also in attributes, without what a terminal would obey.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a>(pub &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in escape::lines(self.0).chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => fmt::Write::write_char(f, other)?,
            }
        }
        Ok(())
    }
}

/// With a large letter at its beginning.
#[must_use]
pub fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    match letters.next() {
        Some(first) => format!("{}{}", first.to_uppercase(), letters.as_str()),
        None => String::new(),
    }
}

/// The beginning of a page, until after `<body>`.
#[must_use]
pub fn begin(title: &str, styles: &[&str]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>\n",
        Text(title)
    );
    page.extend(styles.iter().copied());
    page.push_str("</style>\n</head>\n<body>\n");
    page
}

/// The style that pages begin with; some have more of their own.
pub const STYLE: &str = include_str!("style.css");

/// The sign before a page's name.
pub const SIGN: &str = "<svg viewBox=\"0 0 24 24\" aria-hidden=\"true\">\
     <path d=\"M12 3a9 9 0 1 1-8.5 6M12 7.5a4.5 4.5 0 1 1-4.3 3.2M12 11.2a.8.8 0 1 1-.8.9\"/></svg>";

/// The button that `theme.js` is about.
pub const THEME_BUTTON: &str = "<button id=\"theme\" type=\"button\" hidden>dark</button>";

/// The end of a page: what its script reads, under an id, and the script.
pub fn end(page: &mut String, id: &str, data: &impl Serialize, script: &str) {
    // In a script, only what ends it has a meaning to HTML.
    let data = json::text(data);
    let data = data.replace("</", "<\\/").replace("<!--", "<\\u0021--");
    _ = writeln!(
        page,
        "<script type=\"application/json\" id=\"{id}\">{data}</script>\n\
         <script>\n{THEME}{script}</script>\n</body>\n</html>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(
            Text("a<b>&\"'\u{1b}").to_string(),
            "a&lt;b&gt;&amp;&quot;&#39;\\u{1b}"
        );
    }

    #[test]
    fn data_does_not_end_its_script() {
        let mut page = begin("<k>", &["a { }", "b { }"]);
        end(&mut page, "data", &"</script><!--", "");
        assert!(page.contains("<title>&lt;k&gt;</title>") && page.contains("a { }b { }</style>"));
        assert!(
            page.contains("id=\"data\">\"<\\/script><\\u0021--\"</script>"),
            "{page}"
        );
    }
}
