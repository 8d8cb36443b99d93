//! Consumers over HTTP: who reads the feed says how far it is.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, put};
use axum::{Json, Router};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::problem::{self, Problem};
use super::query::Query;
use super::routes::{Context, read};
use crate::store::{Consumer, Cursor};

/// Those that have acknowledged, as `/v1/consumers` answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Consumers {
    /// By name.
    pub consumers: Vec<Consumer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Acknowledged {
    cursor: String,
}

pub(super) fn routes() -> Router<Context> {
    Router::new()
        .route("/v1/consumers", get(list))
        .route("/v1/consumers/{name}", put(acknowledge).get(one).delete(forget))
}

async fn list(State(context): State<Context>) -> Result<Json<Consumers>, Problem> {
    read(&context, |store| Ok(Json(Consumers { consumers: store.consumers()? }))).await
}

async fn one(
    State(context): State<Context>,
    name: Result<Path<String>, PathRejection>,
) -> Result<Json<Consumer>, Problem> {
    let name = named(name)?;
    let absent = unknown(&name);
    let consumers = read(&context, |store| store.consumers()).await?;
    consumers.into_iter().find(|consumer| consumer.name == name).map(Json).ok_or(absent)
}

/// Durable with the next page that is stored, or when the daemon ends: what is lost before is acknowledged again.
async fn acknowledge(
    State(context): State<Context>,
    name: Result<Path<String>, PathRejection>,
    Query(query): Query<Acknowledged>,
) -> Result<Json<Consumer>, Problem> {
    let (name, cursor) = (named(name)?, query.cursor.parse::<Cursor>()?);
    read(&context, move |store| store.acknowledge(&name, cursor, Timestamp::now()).map(Json)).await
}

async fn forget(
    State(context): State<Context>,
    name: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, Problem> {
    let name = named(name)?;
    let absent = unknown(&name);
    let was_known = read(&context, move |store| store.forget_consumer(&name)).await?;
    if was_known { Ok(StatusCode::NO_CONTENT) } else { Err(absent) }
}

fn named(name: Result<Path<String>, PathRejection>) -> Result<String, Problem> {
    name.map(|Path(name)| name).map_err(|rejection| Problem::invalid(rejection.body_text()))
}

fn unknown(name: &str) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, problem::NO_SUCH_PAGE, format!("no consumer {name} has acknowledged anything"))
}
