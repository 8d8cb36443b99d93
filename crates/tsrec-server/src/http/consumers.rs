//! Consumers over HTTP: feed readers report their position.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::problem::{self, Problem};
use super::query::Query;
use super::route::{self, Route};
use super::routes::{ApiContext, read};
use tsrec_store::{Consumer, Cursor};

/// The readers that have acknowledged a cursor, as `/v1/consumers` answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Consumers {
    /// The readers, ordered by name.
    pub consumers: Vec<Consumer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Acknowledged {
    cursor: String,
}

pub(super) fn routes() -> Vec<Route> {
    let of_one = |route: Route| route.with_path("name", name(), "The reader's name.");
    vec![
        Route::get("/v1/consumers", "Readers of the feed", list)
            .about("Lists the readers that have acknowledged a cursor, and how far each is behind.")
            .gives::<Consumers>("The readers, ordered by name."),
        of_one(Route::get("/v1/consumers/{name}", "A reader of the feed", one))
            .gives::<Consumer>("The reader's position.")
            .refuses(&[404]),
        of_one(Route::put("/v1/consumers/{name}", "Acknowledges all changes up to a cursor", acknowledge))
            .about("The store keeps a deletion until all readers have seen it, up to a limit.")
            .must("cursor", route::cursor(), "How far it has read.")
            .gives::<Consumer>("The reader's position.")
            .refuses(&[410]),
        of_one(Route::delete("/v1/consumers/{name}", "Forgets a reader", forget))
            .about("The store then keeps no deletions for this reader.")
            .gives_nothing("It is forgotten.")
            .refuses(&[404]),
    ]
}

/// A valid consumer name.
fn name() -> serde_json::Value {
    serde_json::json!({ "type": "string", "pattern": "^[A-Za-z0-9_.-]{1,64}$" })
}

async fn list(State(context): State<ApiContext>) -> Result<Json<Consumers>, Problem> {
    read(&context, |store| Ok(Json(Consumers { consumers: store.consumers()? }))).await
}

async fn one(
    State(context): State<ApiContext>,
    name: Result<Path<String>, PathRejection>,
) -> Result<Json<Consumer>, Problem> {
    let name = named(name)?;
    let absent = unknown(&name);
    let consumers = read(&context, |store| store.consumers()).await?;
    consumers.into_iter().find(|consumer| consumer.name == name).map(Json).ok_or(absent)
}

/// Durable with the next stored page, or when the daemon ends. If it is lost before, the reader
/// acknowledges again.
async fn acknowledge(
    State(context): State<ApiContext>,
    name: Result<Path<String>, PathRejection>,
    Query(query): Query<Acknowledged>,
) -> Result<Json<Consumer>, Problem> {
    let (name, cursor) = (named(name)?, query.cursor.parse::<Cursor>()?);
    read(&context, move |store| store.acknowledge(&name, cursor, Timestamp::now()).map(Json)).await
}

async fn forget(
    State(context): State<ApiContext>,
    name: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, Problem> {
    let name = named(name)?;
    let absent = unknown(&name);
    let forgotten = name.clone();
    let was_known = read(&context, move |store| store.forget_consumer(&forgotten)).await?;
    if was_known {
        // A gauge keeps its last value.
        metrics::gauge!("tsrec_feed_behind", "consumer" => name).set(0.0);
    }
    if was_known { Ok(StatusCode::NO_CONTENT) } else { Err(absent) }
}

fn named(name: Result<Path<String>, PathRejection>) -> Result<String, Problem> {
    name.map(|Path(name)| name).map_err(|rejection| Problem::invalid(rejection.body_text()))
}

fn unknown(name: &str) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, problem::NO_SUCH_PAGE, format!("no consumer {name} has acknowledged anything"))
}
