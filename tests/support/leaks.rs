//! Looking for a secret where it must not be, in the forms that programs like to give to bytes.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A secret as it would stand somewhere.
pub struct Secret {
    forms: Vec<(&'static str, Vec<u8>)>,
}

impl Secret {
    pub fn new(text: &str) -> Self {
        let hex = |upper: bool| -> String {
            text.bytes().map(|byte| if upper { format!("{byte:02X}") } else { format!("{byte:02x}") }).collect()
        };
        let mut forms = vec![
            ("plain", text.as_bytes().to_vec()),
            ("hex", hex(false).into_bytes()),
            ("hex", hex(true).into_bytes()),
            ("of two bytes a letter", text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ];
        // In base64 it looks another, wherever in a group of three bytes it begins.
        for before in 0..3 {
            let standard = base64(&[&vec![0; before], text.as_bytes()].concat());
            let sure = &standard[(before * 8).div_ceil(6)..(before + text.len()) * 8 / 6];
            forms.push(("base64", sure.as_bytes().to_vec()));
            forms.push(("base64", sure.replace('+', "-").replace('/', "_").into_bytes()));
        }
        Self { forms }
    }

    /// The form in which it stands there.
    pub fn seen_in(&self, bytes: &[u8]) -> Option<&'static str> {
        let stands = |form: &[u8]| {
            bytes.iter().enumerate().any(|(at, first)| *first == form[0] && bytes[at..].starts_with(form))
        };
        self.forms.iter().find(|(_, form)| stands(form)).map(|(name, _)| *name)
    }

    /// The files of a folder, and of those in it, that have it in them.
    pub fn files_with_it(&self, folder: &Path) -> Vec<String> {
        let describe = |file: PathBuf| {
            let form = self.seen_in(&fs::read(&file).expect("readable"))?;
            Some(format!("{} ({form})", file.file_name().expect("a name").to_string_lossy()))
        };
        files(folder).into_iter().filter_map(describe).collect()
    }

    /// What others on this machine are shown of a process.
    #[track_caller]
    pub fn is_not_shown_of(&self, process: u32) {
        for shown in ["cmdline", "environ"] {
            let bytes = fs::read(format!("/proc/{process}/{shown}")).expect("a process of ours");
            assert!(!bytes.is_empty(), "{shown} is empty");
            assert_eq!(self.seen_in(&bytes), None, "{shown}");
        }
    }
}

/// Every file in a folder and in those in it.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        match entry.file_type().expect("a type") {
            kind if kind.is_dir() => found.extend(files(&entry.path())),
            kind if kind.is_file() => found.push(entry.path()),
            // A socket.
            _ => {}
        }
    }
    found
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |part: &[u8]| {
        let three = part.iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        (0..=part.len()).map(move |at| char::from(LETTERS[(three >> (18 - 6 * at)) as usize & 63])).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_seen_in_every_form_and_nothing_else_is() {
        let secret = Secret::new("a-key-?>~-9c41");
        let seen = |text: &str| secret.seen_in(text.as_bytes());
        assert_eq!(seen("X-AUTH-KEY: a-key-?>~-9c41\r\n"), Some("plain"));
        assert_eq!(seen("0x612d6b65792d3f3e7e2d39633431"), Some("hex"));
        assert_eq!(seen("612D6B65792D3F3E7E2D39633431"), Some("hex"));
        // Of `a-key-?>~-9c41`, `:` before it, `k:` before it; and as addresses write the second.
        for text in ["YS1rZXktPz5+LTljNDE=", "OmEta2V5LT8+fi05YzQx", "azphLWtleS0/Pn4tOWM0MQ==", "OmEta2V5LT8-fi05YzQx"]
        {
            assert_eq!(seen(text), Some("base64"), "{text}");
        }
        let wide: Vec<u8> = "a-key-?>~-9c41".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(secret.seen_in(&wide), Some("of two bytes a letter"));
        for text in ["", "a-key-?>~-9c4", "YS1rZXktPz5", "••••9c41"] {
            assert_eq!(seen(text), None, "{text}");
        }
    }
}
