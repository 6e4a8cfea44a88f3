//! A disk that may lose whatever was not synced, as POSIX permits it: a file's bytes without a sync of the file, a name
//! without a sync of its folder.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use rand::{Rng, rngs::StdRng};

use super::trace::DiskCall;

/// The part of a write that reaches a disk whole.
const SECTOR: usize = 512;

#[derive(Clone)]
enum ContentChange {
    Write { at: u64, bytes: Vec<u8> },
    Resize(u64),
}

impl ContentChange {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Self::Write { at, bytes } => {
                let at = to_size(*at);
                if content.len() < at + bytes.len() {
                    content.resize(at + bytes.len(), 0);
                }
                content[at..at + bytes.len()].copy_from_slice(bytes);
            }
            Self::Resize(length) => content.resize(to_size(*length), 0),
        }
    }

    /// Returns the parts that arrive independently of each other.
    fn sectors(&self) -> Vec<Self> {
        let Self::Write { at, bytes } = self else { return vec![self.clone()] };
        let first = SECTOR - to_size(*at) % SECTOR;
        let (head, tail) = bytes.split_at(first.min(bytes.len()));
        let mut at = *at;
        let mut parts = Vec::new();
        for part in std::iter::once(head).chain(tail.chunks(SECTOR)) {
            parts.push(Self::Write { at, bytes: part.to_vec() });
            at += part.len() as u64;
        }
        parts
    }
}

#[derive(Clone, Default)]
struct StoredFile {
    synced: Vec<u8>,
    /// With what was not synced.
    content: Vec<u8>,
    unsynced: Vec<ContentChange>,
}

#[derive(Clone)]
enum NameChange {
    Set(PathBuf, Entry),
    Remove(PathBuf),
    Move { from: PathBuf, to: PathBuf, entry: Entry },
}

impl NameChange {
    fn path(&self) -> &Path {
        match self {
            Self::Set(path, _) | Self::Remove(path) | Self::Move { to: path, .. } => path,
        }
    }

    fn apply(&self, names: &mut Names) {
        match self {
            Self::Set(path, entry) => {
                names.insert(path.clone(), *entry);
            }
            Self::Remove(path) => {
                names.remove(path);
            }
            Self::Move { from, to, entry } => {
                names.remove(from);
                names.insert(to.clone(), *entry);
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Entry {
    Folder,
    File(usize),
}

type Names = BTreeMap<PathBuf, Entry>;

/// What is lost when the power fails.
#[derive(Debug, Clone, Copy)]
pub(super) enum Loss {
    /// Everything that was not synced.
    Everything,
    /// The bytes that were not synced. All names arrived.
    Content,
    /// The names that were not synced. All bytes arrived.
    Names,
    /// Sectors of unsynced writes at random, and the last unsynced names of each folder.
    Random,
}

/// The files of a folder: what programs see, and what is certain to survive.
#[derive(Clone, Default)]
pub(super) struct Disk {
    files: Vec<StoredFile>,
    names: Names,
    synced_names: Names,
    unsynced_names: Vec<NameChange>,
    /// The number of changes, of a file or of all names, when a sync that has not ended began.
    begun_syncs: BTreeMap<PathBuf, usize>,
}

impl Disk {
    /// Returns a disk with everything that is in a folder, all of it synced.
    pub(super) fn read(folder: &Path) -> Self {
        let mut disk = Self::default();
        disk.read_folder(folder);
        disk.synced_names.clone_from(&disk.names);
        disk
    }

    fn read_folder(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let entry = if path.is_dir() {
                self.read_folder(&path);
                Entry::Folder
            } else {
                let content = fs::read(&path).expect("a file");
                self.files.push(StoredFile { synced: content.clone(), content, unsynced: Vec::new() });
                Entry::File(self.files.len() - 1)
            };
            self.names.insert(path, entry);
        }
    }

    pub(super) fn apply(&mut self, call: &DiskCall) {
        match call {
            DiskCall::Create(path) => {
                if !self.names.contains_key(path) {
                    self.files.push(StoredFile::default());
                    self.change_name(NameChange::Set(path.clone(), Entry::File(self.files.len() - 1)));
                }
            }
            DiskCall::Write { file, at, bytes } => {
                self.change_content(file, ContentChange::Write { at: *at, bytes: bytes.clone() });
            }
            DiskCall::Copy { from, from_at, to, to_at, length } => {
                let (begin, end) = (to_size(*from_at), to_size(from_at + length));
                let bytes = match self.file_at(from) {
                    Some(file) => self.files[file].content[begin..end].to_vec(),
                    None => fs::read(from).expect("the copied file")[begin..end].to_vec(),
                };
                self.change_content(to, ContentChange::Write { at: *to_at, bytes });
            }
            DiskCall::Resize { file, length } => {
                self.change_content(file, ContentChange::Resize(*length));
            }
            DiskCall::Reserve { file, length } => {
                let is_short = self.file_at(file).is_some_and(|file| self.files[file].content.len() < to_size(*length));
                if is_short {
                    self.change_content(file, ContentChange::Resize(*length));
                }
            }
            DiskCall::BeginSync(path) => {
                let count =
                    self.file_at(path).map_or(self.unsynced_names.len(), |file| self.files[file].unsynced.len());
                self.begun_syncs.insert(path.clone(), count);
            }
            DiskCall::Sync(path) => self.sync(path),
            DiskCall::Rename { from, to } => {
                let entry = self.names[from];
                assert!(entry != Entry::Folder, "the renaming of folders is not modelled: {}", from.display());
                if from.parent() == to.parent() {
                    self.change_name(NameChange::Move { from: from.clone(), to: to.clone(), entry });
                } else {
                    self.change_name(NameChange::Remove(from.clone()));
                    self.change_name(NameChange::Set(to.clone(), entry));
                }
            }
            DiskCall::Link { from, to } => {
                let entry = self.names[from];
                self.change_name(NameChange::Set(to.clone(), entry));
            }
            DiskCall::Remove(path) => self.change_name(NameChange::Remove(path.clone())),
            DiskCall::CreateFolder(path) => self.change_name(NameChange::Set(path.clone(), Entry::Folder)),
            DiskCall::Print | DiskCall::Respond => {}
        }
    }

    /// Returns the files as programs see them.
    pub(super) fn contents(&self) -> BTreeMap<&Path, &[u8]> {
        self.names
            .iter()
            .filter_map(|(path, entry)| match *entry {
                Entry::File(file) => Some((path.as_path(), self.files[file].content.as_slice())),
                Entry::Folder => None,
            })
            .collect()
    }

    /// Writes what a power cut leaves of `folder` into another folder.
    pub(super) fn write_remains(&self, folder: &Path, loss: Loss, random: &mut StdRng, to: &Path) {
        let mut names = self.synced_names.clone();
        match loss {
            Loss::Everything | Loss::Names => {}
            Loss::Content => names.clone_from(&self.names),
            Loss::Random => {
                let mut arrived = BTreeMap::new();
                for change in &self.unsynced_names {
                    let parent = change.path().parent();
                    // The changes of one folder arrive in their order.
                    if *arrived.entry(parent).or_insert(true) {
                        let arrives = random.random_bool(0.7);
                        arrived.insert(parent, arrives);
                        if arrives {
                            change.apply(&mut names);
                        }
                    }
                }
            }
        }
        for (path, entry) in names {
            let target = to.join(path.strip_prefix(folder).expect("a path in the folder"));
            match entry {
                // The name of the folder around it may be lost, and everything in it.
                _ if !target.parent().is_some_and(Path::is_dir) => {}
                Entry::Folder => fs::create_dir(target).expect("a folder"),
                Entry::File(file) => fs::write(target, self.files[file].remains(loss, random)).expect("a file"),
            }
        }
    }

    fn file_at(&self, path: &Path) -> Option<usize> {
        match self.names.get(path) {
            Some(Entry::File(file)) => Some(*file),
            _ => None,
        }
    }

    /// Changes a file that still has a name. Others are never seen again.
    fn change_content(&mut self, path: &Path, change: ContentChange) {
        let Some(file) = self.file_at(path) else { return };
        let file = &mut self.files[file];
        change.apply(&mut file.content);
        file.unsynced.push(change);
    }

    fn change_name(&mut self, change: NameChange) {
        change.apply(&mut self.names);
        self.unsynced_names.push(change);
    }

    fn sync(&mut self, path: &Path) {
        let begun = self.begun_syncs.remove(path).unwrap_or(usize::MAX);
        if let Some(file) = self.file_at(path) {
            let file = &mut self.files[file];
            for change in file.unsynced.drain(..begun.min(file.unsynced.len())) {
                change.apply(&mut file.synced);
            }
            return;
        }
        let later = self.unsynced_names.split_off(begun.min(self.unsynced_names.len()));
        let (inside, others): (Vec<_>, Vec<_>) =
            self.unsynced_names.drain(..).partition(|change| change.path().parent() == Some(path));
        self.unsynced_names = others;
        self.unsynced_names.extend(later);
        for change in inside {
            change.apply(&mut self.synced_names);
        }
    }
}

impl StoredFile {
    fn remains(&self, loss: Loss, random: &mut StdRng) -> Vec<u8> {
        match loss {
            Loss::Everything | Loss::Content => self.synced.clone(),
            Loss::Names => self.content.clone(),
            Loss::Random => {
                let mut content = self.synced.clone();
                for change in &self.unsynced {
                    for part in change.sectors() {
                        if random.random_bool(0.5) {
                            part.apply(&mut content);
                        }
                    }
                }
                content
            }
        }
    }
}

fn to_size(number: u64) -> usize {
    usize::try_from(number).expect("a size that fits into memory")
}
