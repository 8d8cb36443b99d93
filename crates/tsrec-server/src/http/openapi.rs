//! The API as an OpenAPI 3.1 document. It is made from the [table](super::routes::table) that
//! also makes the router, and from the types that serde writes.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use schemars::SchemaGenerator;
use schemars::generate::{Contract, SchemaSettings};
use serde_json::{Map, Value, json};

use super::problem::Problem;
use super::route::{BodyContent, Parameter, Route};

/// The path of the schemas in the document.
const SCHEMAS: &str = "/components/schemas";

/// Problems of any request: a wrong parameter, a wrong `Host`, and a store that cannot be read.
const ANY: [u16; 3] = [400, 421, 500];
/// The problem of any request that needs the token.
const WITH_TOKEN: u16 = 401;
/// The problem of any request with a body: a body that is too long.
const WITH_BODY: u16 = 413;

/// The document. Linear in the table.
pub(super) fn document(table: &[Route]) -> Value {
    let mut schemas = generator(Contract::Serialize);
    let problem = schemas.subschema_for::<Problem>().to_value();
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for route in table {
        let operation = operation(route, &mut schemas, &problem);
        paths.entry(route.path).or_default().insert(route.method.as_str().to_lowercase(), operation);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "tsrec",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "The content of crawled pages: records, listings, the change feed; and what an operator does to a crawl.",
            "description": "Problems are told as RFC 9457 has it. A record and what else has an ETag can be asked for conditionally (If-None-Match); answers are packed by gzip or brotli where the request allows it. Since the development versions GET /v1/lessons is gone, POST /untaught is POST /teach/undo, and six schemas have other names (CHANGELOG.md).",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        // If no token is set, none is needed.
        "security": [{ "token": [] }, {}],
        "paths": paths,
        "components": {
            "schemas": schemas.take_definitions(true),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer", "description": "What http.token_file holds, where that is set." } },
        },
    })
}

/// The API reads `Lesson` and writes all other types. Optional fields differ between the two.
fn generator(contract: Contract) -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = SCHEMAS.into();
        settings.meta_schema = None;
        settings.inline_subschemas = contract == Contract::Deserialize;
        settings.contract = contract;
    });
    settings.into_generator()
}

fn operation(route: &Route, schemas: &mut SchemaGenerator, problem: &Value) -> Value {
    let mut operation = json!({
        "operationId": name(route),
        "summary": route.summary,
        "parameters": route.parameters.iter().map(parameter).collect::<Vec<_>>(),
        "responses": responses(route, schemas, problem),
    });
    if !route.about.is_empty() {
        operation["description"] = route.about.into();
    }
    if route.is_open {
        operation["security"] = json!([]);
    }
    if !route.bodies.is_empty() {
        let mut read = generator(Contract::Deserialize);
        operation["requestBody"] = json!({ "required": true, "content": contents(&route.bodies, &mut read) });
    }
    operation
}

/// The name of the operation: method and path, in words.
fn name(route: &Route) -> String {
    let words = route.path.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let method = route.method.as_str().to_lowercase();
    std::iter::once(method.as_str()).chain(words).collect::<Vec<_>>().join("_")
}

fn parameter(parameter: &Parameter) -> Value {
    let Parameter { name, in_path, is_required, schema, about } = parameter;
    let place = if *in_path { "path" } else { "query" };
    json!({ "name": name, "in": place, "required": is_required, "schema": schema, "description": about })
}

fn responses(route: &Route, schemas: &mut SchemaGenerator, problem: &Value) -> Value {
    let mut responses = BTreeMap::new();
    let mut success = json!({ "description": route.answer });
    if !route.contents.is_empty() {
        success["content"] = contents(&route.contents, schemas);
    }
    responses.insert(route.status().to_string(), success);
    for status in statuses(route) {
        let what = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        let content = json!({ "application/problem+json": { "schema": problem } });
        responses.insert(status.to_string(), json!({ "description": what, "content": content }));
    }
    json!(responses)
}

/// The problem statuses of a request, each once.
pub(super) fn statuses(route: &Route) -> Vec<u16> {
    let token = (!route.is_open).then_some(WITH_TOKEN);
    let body = (!route.bodies.is_empty()).then_some(WITH_BODY);
    let mut statuses: Vec<u16> =
        ANY.into_iter().chain(token).chain(body).chain(route.problems.iter().copied()).collect();
    statuses.sort_unstable();
    statuses.dedup();
    statuses
}

fn contents(contents: &[BodyContent], schemas: &mut SchemaGenerator) -> Value {
    let mut of_types = Map::new();
    for BodyContent { media_type, schema } in contents {
        let schema = schema.map_or_else(|| json!({}), |schema| json!({ "schema": schema(schemas) }));
        of_types.insert((*media_type).to_owned(), schema);
    }
    Value::Object(of_types)
}
