//! The table of API requests. Each [`Route`] has its path and parameters, its answer, and its
//! handler.
//!
//! The router ([`router`]), the OpenAPI document and the reference are all made from this table.
//! So the description matches the service.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::query::{DEFAULT_LIMIT, MAX_LIMIT};
use super::routes::ApiContext;
use tsrec_store::Cursor;

/// One kind of request.
pub(super) struct Route {
    pub(super) method: Method,
    /// With `{names}` for variable parts.
    pub(super) path: &'static str,
    /// Its purpose, in a few words.
    pub(super) summary: &'static str,
    /// Further description.
    pub(super) about: &'static str,
    pub(super) parameters: Vec<Parameter>,
    /// The bodies that it takes, one of them; none if it takes no body.
    pub(super) bodies: Vec<BodyContent>,
    /// Description of the answer, with one of these contents; if there are none, only the status.
    pub(super) answer: &'static str,
    pub(super) contents: Vec<BodyContent>,
    /// The problem statuses of this route. Those of [`super::openapi`] apply to every request.
    pub(super) problems: &'static [u16],
    /// Whether it needs no token.
    pub(super) is_open: bool,
    longest_body: Option<usize>,
    handler: MethodRouter<ApiContext>,
}

/// A variable part of a request.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    /// Whether it is in the path; otherwise it is in the query.
    pub(super) in_path: bool,
    pub(super) is_required: bool,
    pub(super) schema: Value,
    pub(super) about: &'static str,
}

/// The content of a body.
#[derive(Clone, Copy)]
pub(super) struct BodyContent {
    pub(super) media_type: &'static str,
    /// `None` if it is not JSON.
    pub(super) schema: Option<fn(&mut SchemaGenerator) -> Schema>,
}

/// A JSON body of a type that serde writes.
pub(super) const fn json_of<T: JsonSchema>() -> BodyContent {
    BodyContent { media_type: "application/json", schema: Some(SchemaGenerator::subschema_for::<T>) }
}

impl Route {
    fn new<H, T>(method: Method, filter: MethodFilter, path: &'static str, summary: &'static str, handler: H) -> Route
    where
        H: Handler<T, ApiContext>,
        T: 'static,
    {
        Route {
            method,
            path,
            summary,
            about: "",
            parameters: Vec::new(),
            bodies: Vec::new(),
            answer: "Done.",
            contents: Vec::new(),
            problems: &[],
            is_open: false,
            longest_body: None,
            handler: on(filter, handler),
        }
    }

    pub(super) fn get<H: Handler<T, ApiContext>, T: 'static>(
        path: &'static str,
        summary: &'static str,
        handler: H,
    ) -> Route {
        Route::new(Method::GET, MethodFilter::GET, path, summary, handler)
    }

    pub(super) fn put<H: Handler<T, ApiContext>, T: 'static>(
        path: &'static str,
        summary: &'static str,
        handler: H,
    ) -> Route {
        Route::new(Method::PUT, MethodFilter::PUT, path, summary, handler)
    }

    pub(super) fn post<H: Handler<T, ApiContext>, T: 'static>(
        path: &'static str,
        summary: &'static str,
        handler: H,
    ) -> Route {
        Route::new(Method::POST, MethodFilter::POST, path, summary, handler)
    }

    pub(super) fn delete<H: Handler<T, ApiContext>, T: 'static>(
        path: &'static str,
        summary: &'static str,
        handler: H,
    ) -> Route {
        Route::new(Method::DELETE, MethodFilter::DELETE, path, summary, handler)
    }

    /// The status of success.
    pub(super) fn status(&self) -> u16 {
        if self.contents.is_empty() { 204 } else { 200 }
    }

    pub(super) fn about(self, about: &'static str) -> Route {
        Route { about, ..self }
    }

    /// Adds a path parameter.
    pub(super) fn with_path(self, name: &'static str, schema: Value, about: &'static str) -> Route {
        self.with(Parameter { name, in_path: true, is_required: true, schema, about })
    }

    /// Adds an optional query parameter.
    pub(super) fn may(self, name: &'static str, schema: Value, about: &'static str) -> Route {
        self.with(Parameter { name, in_path: false, is_required: false, schema, about })
    }

    /// Adds a required query parameter.
    pub(super) fn must(self, name: &'static str, schema: Value, about: &'static str) -> Route {
        self.with(Parameter { name, in_path: false, is_required: true, schema, about })
    }

    /// Adds `after` and `limit` for a listing.
    pub(super) fn paged(self, after: Value, of: &'static str) -> Route {
        self.may("after", after, of).may("limit", limit(MAX_LIMIT), "The most items to return.")
    }

    fn with(mut self, parameter: Parameter) -> Route {
        self.parameters.push(parameter);
        self
    }

    /// Takes a JSON body of at most this many bytes.
    pub(super) fn takes<T: JsonSchema>(self, most: usize) -> Route {
        self.takes_one_of(vec![json_of::<T>()], most)
    }

    /// Takes a body of bytes, at most this many.
    pub(super) fn takes_bytes(self, most: usize) -> Route {
        self.takes_one_of(vec![BYTES], most)
    }

    /// Takes form fields of at most this many bytes.
    pub(super) fn takes_form(self, most: usize) -> Route {
        self.takes_one_of(vec![FORM], most)
    }

    /// Takes one of these bodies, of at most this many bytes.
    pub(super) fn takes_one_of(self, bodies: Vec<BodyContent>, most: usize) -> Route {
        Route { bodies, longest_body: Some(most), ..self }
    }

    /// Answers with JSON.
    pub(super) fn gives<T: JsonSchema>(self, what: &'static str) -> Route {
        Route { answer: what, contents: vec![json_of::<T>()], ..self }
    }

    /// May also answer with text of these media types, by `Accept`.
    pub(super) fn or_gives_as(mut self, media_types: impl IntoIterator<Item = &'static str>) -> Route {
        let text = |media_type| BodyContent { media_type, schema: Some(SchemaGenerator::subschema_for::<String>) };
        self.contents.extend(media_types.into_iter().map(text));
        self
    }

    /// Answers with another media type.
    pub(super) fn gives_as(self, media_type: &'static str, what: &'static str) -> Route {
        Route { answer: what, contents: vec![BodyContent { media_type, schema: None }], ..self }
    }

    /// Answers with the status only.
    pub(super) fn gives_nothing(self, what: &'static str) -> Route {
        Route { answer: what, ..self }
    }

    /// May be refused with these statuses, besides those of every request.
    pub(super) fn refuses(self, problems: &'static [u16]) -> Route {
        Route { problems, ..self }
    }

    /// Needs no token.
    pub(super) fn open(self) -> Route {
        Route { is_open: true, ..self }
    }
}

/// A body that is no JSON.
pub(super) const fn body_of(media_type: &'static str) -> BodyContent {
    BodyContent { media_type, schema: None }
}

/// JSON lines of a type that serde reads. The schema is that of a line.
pub(super) const fn lines_of<T: JsonSchema>() -> BodyContent {
    BodyContent { media_type: super::extract::NDJSON, schema: Some(SchemaGenerator::subschema_for::<T>) }
}

/// A body of bytes.
const BYTES: BodyContent = BodyContent { media_type: "application/octet-stream", schema: None };

/// A body of form fields.
const FORM: BodyContent = BodyContent {
    media_type: "application/x-www-form-urlencoded",
    schema: Some(SchemaGenerator::subschema_for::<BTreeMap<String, String>>),
};

/// A count, from 1.
pub(super) fn limit(most: usize) -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": most, "default": DEFAULT_LIMIT.min(most) })
}

/// An absolute URL with a host.
pub(super) fn url() -> Value {
    json!({ "type": "string", "format": "uri", "minLength": 1 })
}

/// A host, as the URL standard writes it.
pub(super) fn host() -> Value {
    json!({ "type": "string", "minLength": 1 })
}

/// Any text.
pub(super) fn any() -> Value {
    json!({ "type": "string" })
}

/// Any text that is not empty.
pub(super) fn text() -> Value {
    json!({ "type": "string", "minLength": 1 })
}

/// One of some words.
pub(super) fn one_of<const N: usize>(words: [&str; N]) -> Value {
    json!({ "type": "string", "enum": words.as_slice() })
}

/// A place in the feed.
pub(super) fn cursor() -> Value {
    Cursor::json_schema(&mut SchemaGenerator::default()).to_value()
}

/// How long to wait.
pub(super) fn wait(most: Duration) -> Value {
    let seconds = json!({ "type": "integer", "minimum": 0, "maximum": most.as_secs(), "default": 0 });
    json!({ "anyOf": [seconds, { "type": "string", "enum": ["max"] }] })
}

/// A number, from 1.
pub(super) fn number() -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX })
}

/// A number, from 0.
pub(super) fn count() -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX })
}

/// From 0 to 1.
pub(super) fn share() -> Value {
    json!({ "type": "number", "minimum": 0, "maximum": 1 })
}

/// A day, or a time.
pub(super) fn date() -> Value {
    json!({ "anyOf": [{ "type": "string", "format": "date" }, { "type": "string", "format": "date-time" }] })
}

/// Yes or no.
pub(super) fn flag() -> Value {
    json!({ "type": "boolean" })
}

/// The router of these requests.
pub(super) fn router(routes: Vec<Route>) -> Router<ApiContext> {
    let add = |router: Router<ApiContext>, Route { path, handler, longest_body, .. }: Route| match longest_body {
        Some(most) => router.route(path, handler.layer(DefaultBodyLimit::max(most))),
        None => router.route(path, handler),
    };
    routes.into_iter().fold(Router::new(), add)
}
