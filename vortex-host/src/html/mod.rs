//! What pages have in common: they open from disk, without a network, and are light or dark.

use std::fmt::{self, Write as _};

use serde::Serialize;
use vortex_kernel::escape;

use crate::json;

/// Light or dark: as the system is, or as the button or the address says.
const THEME: &str = include_str!("theme.js");

/// Text as HTML, also in attributes, without what a terminal would obey.
pub(crate) struct Text<'a>(pub(crate) &'a str);

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
pub(crate) fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    match letters.next() {
        Some(first) => format!("{}{}", first.to_uppercase(), letters.as_str()),
        None => String::new(),
    }
}

/// The beginning of a page, until after `<body>`.
pub(crate) fn begin(title: &str, styles: &[&str]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>\n",
        Text(title)
    );
    page.extend(styles.iter().copied());
    page.push_str("</style>\n</head>\n<body>\n");
    page
}

/// The button that `theme.js` is about.
pub(crate) const THEME_BUTTON: &str = "<button id=\"theme\" type=\"button\" hidden>dark</button>";

/// The end of a page: what its script reads, under an id, and the script.
pub(crate) fn end(page: &mut String, id: &str, data: &impl Serialize, script: &str) {
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
