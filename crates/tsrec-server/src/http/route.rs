//! What can be asked of the API, a [`Route`] each: how it is asked, what it answers, and by which
//! function.
//!
//! The router is made of this table ([`router`]), and so are the OpenAPI document and the
//! reference: what is served is what is described.

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

/// A request that is answered.
pub(super) struct Route {
    pub(super) method: Method,
    /// With `{names}` for what varies.
    pub(super) path: &'static str,
    /// What it is for, in a few words.
    pub(super) summary: &'static str,
    /// What else there is to say.
    pub(super) about: &'static str,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Option<BodyContent>,
    /// What comes of it, with one of these contents; nothing but the status without.
    pub(super) answer: &'static str,
    pub(super) contents: Vec<BodyContent>,
    /// Statuses of problems that are its own; every request can be refused with those of
    /// [`super::openapi`].
    pub(super) problems: &'static [u16],
    /// Whether it does without the token.
    pub(super) is_open: bool,
    longest_body: Option<usize>,
    handler: MethodRouter<ApiContext>,
}

/// What varies in a request.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    /// Whether it stands in the path; else it does in the query.
    pub(super) in_path: bool,
    pub(super) is_required: bool,
    pub(super) schema: Value,
    pub(super) about: &'static str,
}

/// What a body is made of.
#[derive(Clone, Copy)]
pub(super) struct BodyContent {
    pub(super) media_type: &'static str,
    /// `None` for what is no JSON.
    pub(super) schema: Option<fn(&mut SchemaGenerator) -> Schema>,
}

/// The body of a type that serde writes.
const fn json_of<T: JsonSchema>() -> BodyContent {
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
            body: None,
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

    /// Something that stands in the path.
    pub(super) fn with_path(self, name: &'static str, schema: Value, about: &'static str) -> Route {
        self.with(Parameter { name, in_path: true, is_required: true, schema, about })
    }

    /// Something that may stand in the query.
    pub(super) fn may(self, name: &'static str, schema: Value, about: &'static str) -> Route {
        self.with(Parameter { name, in_path: false, is_required: false, schema, about })
    }

    /// Something that must.
    pub(super) fn must(self, name: &'static str, schema: Value, about: &'static str) -> Route {
        self.with(Parameter { name, in_path: false, is_required: true, schema, about })
    }

    /// A part of a listing: what follows something, and how much of it.
    pub(super) fn paged(self, after: Value, of: &'static str) -> Route {
        self.may("after", after, of).may("limit", limit(MAX_LIMIT), "So many at most.")
    }

    fn with(mut self, parameter: Parameter) -> Route {
        self.parameters.push(parameter);
        self
    }

    /// It takes a body of JSON, so long at most.
    pub(super) fn takes<T: JsonSchema>(self, most: usize) -> Route {
        Route { body: Some(json_of::<T>()), longest_body: Some(most), ..self }
    }

    /// It takes a body of bytes, so long at most.
    pub(super) fn takes_bytes(self, most: usize) -> Route {
        Route { body: Some(BYTES), longest_body: Some(most), ..self }
    }

    /// It takes the fields of a form, so long at most.
    pub(super) fn takes_form(self, most: usize) -> Route {
        Route { body: Some(FORM), longest_body: Some(most), ..self }
    }

    /// It answers with JSON.
    pub(super) fn gives<T: JsonSchema>(self, what: &'static str) -> Route {
        Route { answer: what, contents: vec![json_of::<T>()], ..self }
    }

    /// It may answer with text of these media types as well, as `Accept` asks for it.
    pub(super) fn or_gives_as(mut self, media_types: impl IntoIterator<Item = &'static str>) -> Route {
        let text = |media_type| BodyContent { media_type, schema: Some(SchemaGenerator::subschema_for::<String>) };
        self.contents.extend(media_types.into_iter().map(text));
        self
    }

    /// It answers with something else.
    pub(super) fn gives_as(self, media_type: &'static str, what: &'static str) -> Route {
        Route { answer: what, contents: vec![BodyContent { media_type, schema: None }], ..self }
    }

    /// It answers with nothing but the status.
    pub(super) fn gives_nothing(self, what: &'static str) -> Route {
        Route { answer: what, ..self }
    }

    /// It can be refused with these statuses, beside those of any request.
    pub(super) fn refuses(self, problems: &'static [u16]) -> Route {
        Route { problems, ..self }
    }

    /// It does without the token.
    pub(super) fn open(self) -> Route {
        Route { is_open: true, ..self }
    }
}

/// A body of bytes.
const BYTES: BodyContent = BodyContent { media_type: "application/octet-stream", schema: None };

/// Fields with texts.
const FORM: BodyContent = BodyContent {
    media_type: "application/x-www-form-urlencoded",
    schema: Some(SchemaGenerator::subschema_for::<BTreeMap<String, String>>),
};

/// A number of things, from 1.
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

/// Any text but none.
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

/// The number of something, from 1.
pub(super) fn number() -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX })
}

/// The number of something, from 0.
pub(super) fn count() -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX })
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
