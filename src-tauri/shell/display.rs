//! Checks that there is a display, because the toolkit would panic without one. Adapts the web view's painting to it.

use tauri::{Error, WebviewWindow};

#[cfg(target_os = "linux")]
pub(crate) fn check() -> Result<(), String> {
    const NAMES: [&str; 2] = ["DISPLAY", "WAYLAND_DISPLAY"];
    let set: Vec<String> =
        NAMES.iter().filter_map(|name| Some(format!("{name}={}", std::env::var_os(name)?.to_string_lossy()))).collect();
    if set.is_empty() {
        return Err("there is no display (DISPLAY and WAYLAND_DISPLAY are not set)".to_owned());
    }
    gtk::init().map_err(|_| format!("the display does not answer ({})", set.join(", ")))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn check() -> Result<(), String> {
    Ok(())
}

/// Turns off hardware acceleration if there is no graphics card. The processor would then have to combine the layers of
/// the page, which takes longer than painting the whole page again.
#[cfg(target_os = "linux")]
pub(crate) fn suit(window: &WebviewWindow) -> Result<(), Error> {
    use webkit2gtk::{HardwareAccelerationPolicy, SettingsExt, WebViewExt};

    let is_card = |name: &str| name.starts_with("renderD");
    let mut devices = std::fs::read_dir("/dev/dri").into_iter().flatten().flatten();
    if devices.any(|device| device.file_name().to_str().is_some_and(is_card)) {
        return Ok(());
    }
    window.with_webview(|webview| {
        if let Some(settings) = webview.inner().settings() {
            settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
        }
    })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn suit(_: &WebviewWindow) -> Result<(), Error> {
    Ok(())
}
