//! Limits the memory of a program that runs for long.

/// glibc's allocator returns a large block to the system as soon as it is freed, but raises the threshold for “large”
/// to the largest block freed so far. It also has eight heaps for each processor and returns little of them. It reads
/// both settings only when a program starts, so the program restarts in its own process.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn limit_heaps() {
    use std::{env, os::unix::process::CommandExt as _, process::Command};

    const TUNABLES: &str = "GLIBC_TUNABLES";
    const SETTINGS: &str = "glibc.malloc.mmap_threshold=131072:glibc.malloc.arena_max=2";
    let (Ok(program), mut args) = (env::current_exe(), env::args_os()) else { return };
    if env::var_os(TUNABLES).is_none()
        && let Some(name) = args.next()
    {
        // If the restart fails, the program continues without the limits.
        let _ = Command::new(program).arg0(name).args(args).env(TUNABLES, SETTINGS).exec();
    }
}

/// Other allocators behave differently.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn limit_heaps() {}
