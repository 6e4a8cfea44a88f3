//! Loads the page again when the process that draws it ends. Without this, the window would stay as a dead picture.

use tauri::{Error, WebviewWindow};

/// A page that ends again within this time would end over and over.
#[cfg(target_os = "linux")]
const AGAIN_WITHIN: std::time::Duration = std::time::Duration::from_secs(60);

#[cfg(target_os = "linux")]
pub(crate) fn watch(window: &WebviewWindow) -> Result<(), Error> {
    use std::{cell::Cell, time::Instant};

    use webkit2gtk::{WebProcessTerminationReason, WebViewExt};

    let owner = window.clone();
    window.with_webview(move |webview| {
        let last = Cell::new(None::<Instant>);
        webview.inner().connect_web_process_terminated(move |view, reason| {
            let cause = match reason {
                WebProcessTerminationReason::Crashed => "it crashed or was killed",
                WebProcessTerminationReason::ExceededMemoryLimit => "it used too much memory",
                _ => "the cause is unknown",
            };
            let is_again = last.replace(Some(Instant::now())).is_some_and(|at| at.elapsed() < AGAIN_WITHIN);
            if is_again {
                tracing::error!(
                    cause,
                    "the process of the page ended again; the page stays closed until a person asks"
                );
                ask_to_reload(&owner, view.clone());
            } else {
                tracing::error!(cause, "the process of the page ended; the page is loaded again");
                view.reload();
            }
        });
    })
}

/// The question is the desktop's own, because the page cannot show one.
#[cfg(target_os = "linux")]
fn ask_to_reload(window: &WebviewWindow, view: webkit2gtk::WebView) {
    use gtk::{ButtonsType, DialogFlags, MessageDialog, MessageType, ResponseType, prelude::*};
    use webkit2gtk::WebViewExt;

    const TEXT: &str = "The page of Roost failed again. What was saved is safe. Load the page again?\n\n\
                        If it fails every time, close Roost and start it with --safe-mode.";
    let dialog = MessageDialog::new(
        window.gtk_window().ok().as_ref(),
        DialogFlags::DESTROY_WITH_PARENT,
        MessageType::Warning,
        ButtonsType::YesNo,
        TEXT,
    );
    dialog.connect_response(move |dialog, answer| {
        if answer == ResponseType::Yes {
            view.reload();
        }
        dialog.close();
    });
    dialog.show();
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn watch(_: &WebviewWindow) -> Result<(), Error> {
    Ok(())
}
