//! The reference of the read benchmarks: a bare axum server that answers each path with fixed bytes.

use std::{collections::HashMap, process::ExitCode};

use axum::{
    Router,
    body::Bytes,
    extract::Path,
    http::{StatusCode, header},
    response::IntoResponse,
    routing::get,
};

/// Prints its address, then serves the files of a folder by name until the process is ended.
pub(crate) fn serve_folder(folder: &str) -> ExitCode {
    let bodies: HashMap<String, Bytes> = match std::fs::read_dir(folder) {
        Ok(files) => files
            .flatten()
            .filter_map(|file| {
                Some((file.file_name().into_string().ok()?, Bytes::from(std::fs::read(file.path()).ok()?)))
            })
            .collect(),
        Err(error) => {
            eprintln!("{folder}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let Ok(runtime) = tokio::runtime::Runtime::new() else { return ExitCode::FAILURE };
    let served = runtime.block_on(async {
        let answer = move |Path(name): Path<String>| {
            let body = bodies.get(&name).cloned();
            async move {
                match body {
                    Some(body) => ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
                    None => StatusCode::NOT_FOUND.into_response(),
                }
            }
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?);
        axum::serve(listener, Router::new().route("/{name}", get(answer))).await
    });
    if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
