//! A kernel's messages: texts with values in them, formatted on the host.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

use crate::escape;

/// Where a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Stream {
    /// The host's standard output.
    Out,
    /// The host's standard error.
    Err,
}

/// A text with values in it. The device only delivers the values' words. Files do not contain the function that makes
/// the text; a message read from one is rendered by [`Render::verbatim`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Message {
    /// As the user wrote it, for people who read the IR.
    pub text: String,
    /// Where it goes when it is printed.
    pub stream: Stream,
    /// How many words of values it has.
    pub words: u32,
    /// Makes the text out of the words.
    pub render: Render,
}

/// A message in a file.
#[derive(Serialize, Deserialize)]
struct Written {
    text: String,
    stream: Stream,
    words: u32,
}

impl From<Message> for Written {
    fn from(message: Message) -> Self {
        Self {
            text: message.text,
            stream: message.stream,
            words: message.words,
        }
    }
}

impl From<Written> for Message {
    fn from(written: Written) -> Self {
        Self {
            render: Render::verbatim(&written.text),
            text: written.text,
            stream: written.stream,
            words: written.words,
        }
    }
}

/// A function from words to text.
#[derive(Clone)]
pub struct Render(Arc<Function>);

type Function = dyn Fn(&[u32]) -> String + Send + Sync;

impl Render {
    /// Of a message whose text follows from its words.
    pub fn new(render: impl Fn(&[u32]) -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(render))
    }

    /// For messages read from text: the text as it is, except for what a terminal would obey, then the words.
    #[must_use]
    pub fn verbatim(text: &str) -> Self {
        let text = escape::lines(text).into_owned();
        Self::new(move |words| format!("{text} {words:?}"))
    }

    /// The text for these words, as many as [`Message::words`] says.
    #[must_use]
    pub fn text(&self, words: &[u32]) -> String {
        (self.0)(words)
    }
}

impl fmt::Debug for Render {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Render")
    }
}

/// Functions cannot be compared; messages with one text and as many words are taken for the same.
impl PartialEq for Render {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
