//! The configuration and start of each peer, so that it answers what we answer.

use std::{error::Error, fs, path::Path, process::Command};

use serde_json::{Value, json};

use super::{PeerPlace, PeerRequest};

type PreparationResult = Result<(), Box<dyn Error>>;

/// A popular mock server.
pub(super) struct PeerKind {
    pub name: &'static str,
    /// Whether it looks up its answer in data, as we do, instead of returning fixed bytes.
    pub is_stateful: bool,
    /// Whether its request journal is on, if it has one. Peers with a journal are measured both ways.
    pub journal: Option<bool>,
    /// Writes the files that it reads at its start.
    pub prepare: fn(&PeerPlace, &[PeerRequest]) -> PreparationResult,
    pub command: fn(&PeerPlace) -> Command,
    /// Returns the path that it answers for a work.
    pub path: fn(&PeerRequest) -> String,
}

fn fixed_answers(work: &PeerRequest) -> String {
    work.fixed_path()
}

pub(super) const ALL: [PeerKind; 7] = [
    PeerKind {
        name: "json-server",
        is_stateful: true,
        journal: None,
        prepare: prepare_json_server,
        command: |place| {
            let mut command = node_command(place, "json-server/lib/cli/bin.js");
            command
                .args(["--quiet", "--host", "127.0.0.1", "--port", &place.port_text()])
                .arg(place.file_path("db.json"));
            command
        },
        path: |work| work.query.to_owned(),
    },
    PeerKind {
        name: "Mockoon",
        is_stateful: false,
        journal: None,
        prepare: prepare_mockoon,
        command: |place| {
            let mut command = node_command(place, "@mockoon/cli/bin/run.js");
            command.args(["start", "--disable-log-to-file", "--hostname", "127.0.0.1", "--port", &place.port_text()]);
            command.arg("--data").arg(place.file_path("mockoon.json"));
            command
        },
        path: fixed_answers,
    },
    PeerKind {
        name: "Prism",
        is_stateful: false,
        journal: None,
        prepare: prepare_prism,
        command: |place| {
            let mut command = node_command(place, "@stoplight/prism-cli/dist/index.js");
            command.args(["mock", "--verboseLevel", "silent", "--host", "127.0.0.1", "--port", &place.port_text()]);
            command.arg(place.file_path("openapi.json"));
            command
        },
        path: fixed_answers,
    },
    PeerKind {
        name: "WireMock",
        is_stateful: false,
        journal: Some(true),
        prepare: prepare_wiremock,
        command: |place| wiremock_command(place, &[]),
        path: fixed_answers,
    },
    PeerKind {
        name: "WireMock",
        is_stateful: false,
        journal: Some(false),
        prepare: prepare_wiremock,
        command: |place| wiremock_command(place, &["--no-request-journal", "--disable-request-logging"]),
        path: fixed_answers,
    },
    PeerKind {
        name: "MockServer",
        is_stateful: false,
        journal: Some(true),
        prepare: prepare_mockserver,
        command: |place| mockserver_command(place, &[]),
        path: fixed_answers,
    },
    PeerKind {
        name: "MockServer",
        is_stateful: false,
        journal: Some(false),
        prepare: prepare_mockserver,
        command: |place| mockserver_command(place, &["-Dmockserver.disableLogging=true"]),
        path: fixed_answers,
    },
];

fn node_command(place: &PeerPlace, script: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(place.installed.join(script));
    command
}

fn java_command(place: &PeerPlace, options: &[&str], jar: &str) -> Command {
    let mut command = Command::new("java");
    command.args(options).arg("-jar").arg(place.installed.join(jar));
    command
}

fn wiremock_command(place: &PeerPlace, options: &[&str]) -> Command {
    let mut command = java_command(place, &[], "wiremock/build/wiremock-standalone-3.13.2.jar");
    command.args(["--disable-banner", "--bind-address", "127.0.0.1", "--use-chunked-encoding", "never"]);
    command.args(["--port", &place.port_text(), "--root-dir"]).arg(&place.folder).args(options);
    command
}

fn mockserver_command(place: &PeerPlace, options: &[&str]) -> Command {
    let rules = format!("-Dmockserver.initializationJsonPath={}", place.file_path("mockserver.json").display());
    let usual = [rules.as_str(), "-Dmockserver.logLevel=WARN", "-Dmockserver.localBoundIP=127.0.0.1"];
    let mut command = java_command(
        place,
        &[&usual, options].concat(),
        "mockserver-node/mockserver-netty-8.0.0-jar-with-dependencies.jar",
    );
    command.args(["-serverPort", &place.port_text()]);
    command
}

fn write_json(path: &Path, value: &Value) -> PreparationResult {
    Ok(fs::write(path, value.to_string())?)
}

/// Writes as many records as our account has.
fn prepare_json_server(place: &PeerPlace, works: &[PeerRequest]) -> PreparationResult {
    let collections: serde_json::Map<String, Value> = works
        .iter()
        .map(|work| {
            let sample: Value = serde_json::from_slice(&work.body)?;
            let one = sample["items"].get(0).unwrap_or(&sample).clone();
            let records = (1..=work.records).map(|id| {
                let mut record = one.clone();
                record["id"] = json!(id);
                record
            });
            Ok((work.name.to_owned(), records.collect::<Value>()))
        })
        .collect::<Result<_, serde_json::Error>>()?;
    write_json(&place.file_path("db.json"), &Value::Object(collections))
}

fn prepare_mockoon(place: &PeerPlace, works: &[PeerRequest]) -> PreparationResult {
    let id = |n: usize| format!("3c0d9a2e-0000-4000-8000-{n:012}");
    let route = |(n, work): (usize, &PeerRequest)| {
        Ok(json!({
            "uuid": id(2 * n + 1), "type": "http", "documentation": "", "method": "get", "endpoint": work.name,
            "responseMode": null, "streamingMode": null, "streamingInterval": 0,
            "responses": [{
                "uuid": id(2 * n + 2), "body": std::str::from_utf8(&work.body)?, "latency": 0, "statusCode": 200, "label": "",
                "headers": [{ "key": "content-type", "value": "application/json" }], "bodyType": "INLINE", "filePath": "",
                "databucketID": "", "sendFileAsBody": false, "rules": [], "rulesOperator": "OR", "disableTemplating": true,
                "fallbackTo404": false, "default": true, "crudKey": "id", "callbacks": [],
            }],
        }))
    };
    let routes: Vec<Value> = works.iter().enumerate().map(route).collect::<Result<_, Box<dyn Error>>>()?;
    let children: Value = routes.iter().map(|route| json!({ "type": "route", "uuid": route["uuid"] })).collect();
    write_json(
        &place.file_path("mockoon.json"),
        &json!({
            "uuid": id(0), "lastMigration": 33, "name": "bench", "port": place.port, "hostname": "127.0.0.1",
            "endpointPrefix": "", "latency": 0, "folders": [], "routes": routes, "rootChildren": children,
            "proxyMode": false, "proxyHost": "", "proxyRemovePrefix": false,
            "tlsOptions": { "enabled": false, "type": "CERT", "pfxPath": "", "certPath": "", "keyPath": "", "caPath": "", "passphrase": "" },
            "cors": false, "headers": [], "proxyReqHeaders": [], "proxyResHeaders": [], "data": [], "callbacks": [],
        }),
    )
}

fn prepare_prism(place: &PeerPlace, works: &[PeerRequest]) -> PreparationResult {
    let paths: serde_json::Map<String, Value> = works
        .iter()
        .map(|work| {
            let example: Value = serde_json::from_slice(&work.body)?;
            let content = json!({ "application/json": { "schema": { "type": "object" }, "example": example } });
            let get = json!({ "responses": { "200": { "description": "", "content": content } } });
            Ok((work.fixed_path(), json!({ "get": get })))
        })
        .collect::<Result<_, serde_json::Error>>()?;
    let document = json!({ "openapi": "3.0.3", "info": { "title": "bench", "version": "1" }, "paths": paths });
    write_json(&place.file_path("openapi.json"), &document)
}

fn prepare_wiremock(place: &PeerPlace, works: &[PeerRequest]) -> PreparationResult {
    for folder in ["mappings", "__files"] {
        fs::create_dir_all(place.file_path(folder))?;
    }
    for work in works {
        fs::write(place.file_path("__files").join(work.name), &work.body)?;
        let response =
            json!({ "status": 200, "bodyFileName": work.name, "headers": { "content-type": "application/json" } });
        let mapping = json!({ "request": { "method": "GET", "urlPath": work.fixed_path() }, "response": response });
        write_json(&place.file_path("mappings").join(format!("{}.json", work.name)), &mapping)?;
    }
    Ok(())
}

fn prepare_mockserver(place: &PeerPlace, works: &[PeerRequest]) -> PreparationResult {
    let rule = |work: &PeerRequest| {
        let headers = json!({ "content-type": ["application/json"] });
        let response = json!({ "statusCode": 200, "headers": headers, "body": std::str::from_utf8(&work.body)? });
        let request = json!({ "method": "GET", "path": work.fixed_path() });
        Ok(json!({
            "httpRequest": request, "httpResponse": response,
            "times": { "unlimited": true }, "timeToLive": { "unlimited": true },
        }))
    };
    let rules: Vec<Value> = works.iter().map(rule).collect::<Result<_, Box<dyn Error>>>()?;
    write_json(&place.file_path("mockserver.json"), &Value::Array(rules))
}
