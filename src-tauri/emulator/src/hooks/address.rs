//! The addresses of receivers, and the header by which Roost's own sender is known.

use crate::access::{WORLD_SEGMENT, is_world_name};

/// The first segment of a receiver's path.
pub(crate) const HOOK_SEGMENT: &str = "__hook";
/// The header in which only Roost's own sender names world, epoch, callback and attempt. An attempt from an ended
/// epoch is refused.
pub(crate) const ATTEMPT_HEADER: &str = "x-roost-try";

/// Whether a path, exactly as written, is the path of a receiver.
pub(crate) fn is_hook_path(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    match segments[..] {
        [HOOK_SEGMENT, name] => is_world_name(name),
        [HOOK_SEGMENT, world, name] => is_world_name(world) && is_world_name(name),
        [WORLD_SEGMENT, world, HOOK_SEGMENT, name] => is_world_name(world) && is_world_name(name),
        _ => false,
    }
}

/// Returns the world that the attempt header names.
pub(crate) fn world_of_attempt(attempt: &str) -> Option<&str> {
    attempt.split_once('.').map(|(world, _)| world)
}

/// Writes the value of the attempt header.
pub(crate) fn attempt_header_value(world: &str, epoch: u64, callback: i64, attempt: u32) -> String {
    format!("{world}.{epoch}.{callback}.{attempt}")
}

/// Reads the attempt header of this world: epoch, callback and attempt.
pub(crate) fn parse_attempt(attempt: &str, world: &str) -> Option<(u64, i64, u32)> {
    let mut parts = attempt.split('.');
    let is_ours = parts.next()? == world;
    let found = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    is_ours.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_a_receiver_is_written_in_one_way() {
        for path in ["/__hook/inbox", "/__hook/team-a/inbox-2", "/w/team-a/__hook/inbox-2"] {
            assert!(is_hook_path(path), "{path}");
        }
        for path in [
            "",
            "/",
            "/__hook",
            "/__hook/",
            "/__hook/a/b/c",
            "/__hook/a/",
            "/__hook/../b",
            "/__hook/a%2fb/c",
            "/__hook/A",
            "/__hook/..",
            "/__hook/a%2f",
            "/%5f_hook/a",
            "//__hook/a",
            "/w/__hook/a",
            "/w//__hook/a",
            "/w/x/__hook/a/",
            "/__admin/hooks/a",
            "/w/x/__admin/__hook/a",
        ] {
            assert!(!is_hook_path(path), "{path}");
        }
    }

    #[test]
    fn a_try_is_known_by_its_world() {
        let header = attempt_header_value("team-a", 3, 17, 2);
        assert_eq!(parse_attempt(&header, "team-a"), Some((3, 17, 2)));
        assert_eq!(parse_attempt(&header, "team-b"), None);
        for header in ["", "team-a", "team-a.x.1.1", "team-a.1.1"] {
            assert_eq!(parse_attempt(header, "team-a"), None, "{header}");
        }
    }
}
