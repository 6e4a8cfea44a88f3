//! How a program that runs for long gives memory back.

/// The allocator of glibc gives a large block back to the system as soon as it is freed, but raises the size that counts
/// as large to the largest block freed so far. It has eight heaps for each processor as well, and gives little of them
/// back. It reads both settings at the start of a program alone, so the program starts again in its own process.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn limit_heaps() {
    use std::{env, os::unix::process::CommandExt as _, process::Command};

    const TUNABLES: &str = "GLIBC_TUNABLES";
    const SETTINGS: &str = "glibc.malloc.mmap_threshold=131072:glibc.malloc.arena_max=2";
    let (Ok(program), mut args) = (env::current_exe(), env::args_os()) else { return };
    if env::var_os(TUNABLES).is_none()
        && let Some(name) = args.next()
    {
        // If that fails, the program runs all the same.
        let _ = Command::new(program).arg0(name).args(args).env(TUNABLES, SETTINGS).exec();
    }
}

/// Other allocators have other rules.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn limit_heaps() {}
