//! Consumers over HTTP: who reads the feed says how far it is.

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

/// Those that have acknowledged, as `/v1/consumers` answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Consumers {
    /// By name.
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
            .about("Those that have acknowledged, and how far they are behind.")
            .gives::<Consumers>("By name."),
        of_one(Route::get("/v1/consumers/{name}", "A reader of the feed", one))
            .gives::<Consumer>("How far it is.")
            .refuses(&[404]),
        of_one(Route::put("/v1/consumers/{name}", "A reader has seen all up to a cursor", acknowledge))
            .about("Deletions are kept until all readers have, up to a limit.")
            .must("cursor", route::cursor(), "How far it has read.")
            .gives::<Consumer>("How far it is.")
            .refuses(&[410]),
        of_one(Route::delete("/v1/consumers/{name}", "Forgets a reader", forget))
            .about("Nothing waits for it any more.")
            .gives_nothing("It is forgotten.")
            .refuses(&[404]),
    ]
}

/// A name as the store takes it.
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

/// Durable with the next page that is stored, or when the daemon ends: what is lost before is
/// acknowledged again.
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
        // A gauge keeps what it was told last.
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
