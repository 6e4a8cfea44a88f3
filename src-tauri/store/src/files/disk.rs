//! Finds out whether the system encrypts the disk of a file.

use std::path::Path;

/// Returns whether the disk of a file is encrypted by the system; `None` if the system does not say.
#[cfg(target_os = "linux")]
pub(crate) fn is_disk_encrypted(file: &Path) -> Option<bool> {
    use std::os::unix::fs::MetadataExt;

    let device = std::fs::metadata(file).ok()?.dev();
    let number = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
    is_device_encrypted(&Path::new("/sys/dev/block").join(number))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_disk_encrypted(_: &Path) -> Option<bool> {
    None
}

/// Returns whether a block device is one of `dm-crypt`, or all devices that it lies on are. A network or stacked file
/// system has no block device.
#[cfg(target_os = "linux")]
fn is_device_encrypted(device: &Path) -> Option<bool> {
    if !device.exists() {
        return None;
    }
    let uuid = std::fs::read_to_string(device.join("dm/uuid")).unwrap_or_default();
    let kind = uuid.strip_prefix("CRYPT-");
    if kind.is_some_and(|kind| !["VERITY-", "INTEGRITY-"].iter().any(|other| kind.starts_with(other))) {
        return Some(true);
    }
    let below: Vec<_> = std::fs::read_dir(device.join("slaves")).into_iter().flatten().flatten().collect();
    Some(!below.is_empty() && below.iter().all(|one| is_device_encrypted(&one.path()) == Some(true)))
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_volume_on_an_encrypted_partition_is_encrypted() {
        let folder = tempfile::tempdir().unwrap();
        let device = |name: &str, uuid: &str| {
            let device = folder.path().join(name);
            fs::create_dir_all(device.join("slaves")).unwrap();
            fs::create_dir_all(device.join("dm")).unwrap();
            fs::write(device.join("dm/uuid"), uuid).unwrap();
            device
        };
        let (volume, crypt, plain) =
            (device("252:2", "LVM-abc\n"), device("252:1", "CRYPT-LUKS2-abc-root\n"), device("252:0", "LVM-def\n"));
        let verity = device("252:3", "CRYPT-VERITY-abc-root\n");
        std::os::unix::fs::symlink(&crypt, volume.join("slaves/dm-1")).unwrap();
        assert_eq!(is_device_encrypted(&crypt), Some(true));
        assert_eq!(is_device_encrypted(&volume), Some(true));
        assert_eq!(is_device_encrypted(&plain), Some(false));
        assert_eq!(is_device_encrypted(&verity), Some(false));
        std::os::unix::fs::symlink(&plain, volume.join("slaves/dm-0")).unwrap();
        assert_eq!(is_device_encrypted(&volume), Some(false), "a part of it is not");
        assert_eq!(is_device_encrypted(&folder.path().join("0:42")), None);
    }
}
