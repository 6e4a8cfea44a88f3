//! P2: a contact job of 10,000 in merge mode into a list of 100,000 on disk, from POST to callback.

use std::{
    error::Error,
    fs,
    time::{Duration, Instant},
};

use axum::{Router, http::StatusCode, routing::post};
use rusqlite::{Connection, params};
use serde_json::json;
use tokio::sync::mpsc;

use crate::{
    BenchOutcome, numbers,
    report::{Measurement, median_of},
    served,
    server::http,
};

const LIST: &str = "LST_000000000000000000000000001";
const HELD: usize = 100_000;
const SENT: usize = 10_000;
const NEW: usize = 2_500;
const ROUNDS: usize = 3;

fn build_contact(number: &str, round: usize) -> serde_json::Value {
    json!({
        "phone_number": number, "title": "Ms", "firstname": format!("Ada {round}"), "lastname": "Byrne", "city": "London",
        "company_name": "Roost", "email_address": format!("person{}@example.com", &number[1..]), "field_1": "gold", "field_2": round.to_string(),
    })
}

/// Returns the numbers of a round. The list has three quarters of them, and one quarter is new.
fn numbers_of_round(numbers: &[String], round: usize) -> Vec<&String> {
    let held = numbers[..HELD].iter().skip(round).step_by(HELD / (SENT - NEW)).take(SENT - NEW);
    held.chain(&numbers[HELD + round * NEW..HELD + (round + 1) * NEW]).collect()
}

pub(crate) fn run() -> BenchOutcome {
    let folder = tempfile::tempdir()?;
    let numbers = numbers::fiction(HELD + ROUNDS * NEW);
    let bare = bare_upserts(&folder.path().join("bare.sqlite"), &numbers)?;
    let seed_file = folder.path().join("seed.json");
    let contacts: Vec<_> = numbers[..HELD].iter().map(|number| build_contact(number, 99)).collect();
    fs::write(
        &seed_file,
        json!({ "lists": [{ "uid": LIST, "name": "Everybody", "contacts": contacts }] }).to_string(),
    )?;
    let database = folder.path().join("ours.roost");
    let ours = served::start(&["--db", &database.to_string_lossy(), "--seed", &seed_file.to_string_lossy()])?;
    let (mut posts, mut wholes) = (Vec::new(), Vec::new());
    tokio::runtime::Runtime::new()?.block_on(async {
        let (sender, mut callbacks) = mpsc::unbounded_channel();
        let receiver = Router::new().route(
            "/hook",
            post(move || {
                let sender = sender.clone();
                async move {
                    let _ = sender.send(Instant::now());
                    StatusCode::OK
                }
            }),
        );
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let hook = format!("http://{}/hook", listener.local_addr()?);
        let receiving = tokio::spawn(async move { axum::serve(listener, receiver).await });
        let mut connection = http::BenchConnection::open(&ours.address).await?;
        for round in 0..ROUNDS {
            let contacts: Vec<_> = numbers_of_round(&numbers, round).into_iter().map(|number| build_contact(number, round)).collect();
            let body = json!({ "list_id": LIST, "merge_type": "mergeByPhoneNumberInList", "callback_url": hook, "contacts": contacts }).to_string();
            let request = http::post_request(&ours.address, "/contacts/v1/contacts", &body);
            let begin = Instant::now();
            let (status, answer) = connection.exchange(&request).await?;
            if status != 200 {
                return Err(format!("status {status}: {}", String::from_utf8_lossy(answer)).into());
            }
            posts.push(begin.elapsed().as_secs_f64() * 1_000.0);
            let received = tokio::time::timeout(Duration::from_secs(60), callbacks.recv()).await?.ok_or("no callback")?;
            wholes.push((received - begin).as_secs_f64() * 1_000.0);
        }
        receiving.abort();
        Ok::<_, Box<dyn Error + Send + Sync>>(())
    })
    .map_err(|e| e.to_string())?;
    Ok(vec![
        Measurement::at_most("P2", "job of 10,000 into 100,000: POST to callback", "ms", median_of(wholes), bare, 2.0),
        Measurement::at_most("P2", "job of 10,000 into 100,000: POST answered", "ms", median_of(posts), bare, 0.2),
    ])
}

/// Writes the same rows with one prepared upsert in one transaction, into the same columns and indexes, with the same
/// durability.
fn bare_upserts(path: &std::path::Path, numbers: &[String]) -> Result<f64, Box<dyn Error>> {
    let mut conn = Connection::open(path)?;
    conn.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -8192;
         CREATE TABLE contacts (id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, list_id INTEGER NOT NULL, phone TEXT, phone_region TEXT,
             whatsapp TEXT, whatsapp_region TEXT, title TEXT, firstname TEXT, lastname TEXT, date_of_birth TEXT, address_1 TEXT, address_2 TEXT,
             city TEXT, zip TEXT, state TEXT, country TEXT, company_name TEXT, email_address TEXT, alternate_phone TEXT,
             created_at INTEGER NOT NULL, updated_at INTEGER, field_1 TEXT, field_2 TEXT, field_3 TEXT);
         CREATE INDEX by_age ON contacts (list_id, created_at, uid);
         CREATE UNIQUE INDEX by_phone ON contacts (list_id, phone);
         CREATE INDEX by_whatsapp ON contacts (list_id, whatsapp) WHERE whatsapp IS NOT NULL;",
    )?;
    const UPSERT: &str = "INSERT INTO contacts (uid, list_id, phone, phone_region, title, firstname, lastname, city, company_name, email_address, created_at, field_1, field_2)
         VALUES (?1, 1, ?2, 'FR', 'Ms', ?3, 'Byrne', 'London', 'Roost', ?4, ?5, 'gold', ?6)
         ON CONFLICT (list_id, phone) DO UPDATE SET title = excluded.title, firstname = excluded.firstname, lastname = excluded.lastname, city = excluded.city,
             company_name = excluded.company_name, email_address = excluded.email_address, field_1 = excluded.field_1, field_2 = excluded.field_2, updated_at = ?5";
    let mut uid = 0;
    let mut upsert = |conn: &mut Connection, numbers: &[&String], round: usize| -> rusqlite::Result<f64> {
        let begin = Instant::now();
        let tx = conn.transaction()?;
        {
            let mut statement = tx.prepare_cached(UPSERT)?;
            for number in numbers {
                uid += 1;
                statement.execute(params![
                    format!("CON_{uid:027}"),
                    number,
                    format!("Ada {round}"),
                    format!("person{}@example.com", &number[1..]),
                    round as i64,
                    round.to_string()
                ])?;
            }
        }
        tx.commit()?;
        Ok(begin.elapsed().as_secs_f64() * 1_000.0)
    };
    upsert(&mut conn, &numbers[..HELD].iter().collect::<Vec<_>>(), 99)?;
    let runs = (0..ROUNDS)
        .map(|round| upsert(&mut conn, &numbers_of_round(numbers, round), round))
        .collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(median_of(runs))
}
