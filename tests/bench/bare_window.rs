//! A minimal Tauri window, the reference of P11. Like ours, it is shown once its page is loaded and its script has run.

#![expect(clippy::print_stdout, reason = "a benchmark program reports to its parent on standard output")]

use tauri::{WebviewUrl, WebviewWindowBuilder, http::Response};

/// The script does not wait for an animation frame, because a hidden window has none.
const PAGE: &str = "<!doctype html><title>loading</title><h1>Bare</h1><button>One</button>\
    <script>addEventListener('load', () => { document.title = 'Bare' })</script>";

fn main() -> tauri::Result<()> {
    tauri::Builder::default()
        .register_uri_scheme_protocol("bare", |_, _| {
            let page = Response::builder().header("content-type", "text/html").body(PAGE.as_bytes().to_vec());
            page.unwrap_or_default()
        })
        .setup(|app| {
            let address = "bare://localhost/".parse()?;
            WebviewWindowBuilder::new(app, "bare", WebviewUrl::CustomProtocol(address))
                .inner_size(1_280.0, 800.0)
                .visible(false)
                .on_document_title_changed(|window, title| {
                    if title == "Bare" && window.set_title(&title).and_then(|()| window.show()).is_err() {
                        println!("the bare window cannot be shown");
                    }
                })
                .build()?;
            Ok(())
        })
        .run(window_context())
}

#[expect(clippy::disallowed_methods, reason = "Tauri's macro generates an exit for an invalid configuration")]
fn window_context() -> tauri::Context {
    tauri::generate_context!()
}
