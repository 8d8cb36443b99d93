//! The header of a record.

/// The kind of a record (ISO 28500, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The answer of a server, with its head.
    Response,
    /// A page without the head of an answer.
    Resource,
    /// A mark that an answer was the same as an earlier one.
    Revisit,
    /// A conversion: text, without its markup.
    Conversion,
    /// A request, information on the file, metadata, or more.
    Other,
}

/// A record's header.
#[derive(Clone, Debug)]
pub struct WarcRecord {
    /// The kind of the record.
    pub kind: Kind,
    /// Its offset in the file, if it can be read from there, that is, if it is the first of its
    /// packed member.
    pub offset: Option<u64>,
    /// Bytes of its block.
    pub length: u64,
    pub(super) fields: Vec<(String, String)>,
}

impl WarcRecord {
    /// The first field with a name, in any case of letters.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The address that the record is about.
    pub fn target(&self) -> Option<&str> {
        self.uri("WARC-Target-URI")
    }

    /// Its name, without `urn:uuid:` and angle brackets.
    pub fn id(&self) -> Option<&str> {
        self.uri("WARC-Record-ID").map(without_urn)
    }

    /// The name of the record that a revisit refers to, in the form of [`id`](WarcRecord::id).
    pub(super) fn refers_to(&self) -> Option<&str> {
        self.uri("WARC-Refers-To").map(without_urn)
    }

    /// The address of the record that a revisit refers to.
    pub(super) fn refers_to_target(&self) -> Option<&str> {
        self.uri("WARC-Refers-To-Target-URI")
    }

    /// A URI. Some writers add angle brackets around it.
    fn uri(&self, name: &str) -> Option<&str> {
        self.field(name).map(|uri| uri.trim_start_matches('<').trim_end_matches('>'))
    }
}

fn without_urn(id: &str) -> &str {
    id.strip_prefix("urn:uuid:").unwrap_or(id)
}
