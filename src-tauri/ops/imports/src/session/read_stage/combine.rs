//! Combines several files: columns of the same name become one column, and the rows of the files follow each other.

use std::{collections::HashMap, io, ops::Range, path::Path, sync::Arc};

use roost_sheets::RowBlock;
use roost_store::watch::Watch;

use roost_spelling::normalize_name;

use super::super::{
    super::{
        mapping::columns::{ColumnFacts, ColumnScanner},
        spool::{FrameReader, Spool},
    },
    stored::StoredRead,
};

/// The rows of all files of an import together.
pub(in super::super) struct CombinedFiles {
    pub spool: Spool,
    pub heads: Vec<String>,
    /// The first row that holds values.
    pub first: u64,
    pub columns: Vec<ColumnFacts>,
    /// For each column, the files that have it.
    pub files: Vec<Vec<u32>>,
    pub parts: Vec<FileRows>,
}

/// The range of rows that belong to one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct FileRows {
    pub file: u32,
    pub first_row: u64,
    pub end_row: u64,
}

/// A file that was read, and its rows.
pub(super) struct ReadFile<'a> {
    pub file: u32,
    pub read: &'a StoredRead,
    pub spool: Arc<Spool>,
}

impl CombinedFiles {
    /// Returns the same with another spool.
    pub(in super::super) fn with_spool(&self, spool: Spool) -> Self {
        Self {
            spool,
            heads: self.heads.clone(),
            first: self.first,
            columns: self.columns.clone(),
            files: self.files.clone(),
            parts: self.parts.clone(),
        }
    }

    /// Returns the ranges of rows of the files that pass a check.
    pub(in super::super) fn rows_of_files(&self, is_meant: impl Fn(u32) -> bool) -> Vec<Range<u64>> {
        self.parts.iter().filter(|part| is_meant(part.file)).map(|part| part.first_row..part.end_row).collect()
    }

    /// Returns the file of a row, and the number of the row in that file.
    pub(in super::super) fn locate_row(&self, row: u64) -> (u32, u64) {
        let at = self.parts.partition_point(|part| part.end_row <= row).min(self.parts.len().saturating_sub(1));
        self.parts.get(at).map_or((0, row), |part| (part.file, row.saturating_sub(part.first_row)))
    }
}

/// Combines files. One file is used directly; several are copied into `path`.
pub(super) fn combine_files(files: &[ReadFile], path: &Path, watch: &Watch) -> io::Result<CombinedFiles> {
    if let [one] = files {
        let rows = one.spool.row_count();
        return Ok(CombinedFiles {
            spool: one.spool.clone_handle()?,
            heads: one.read.found.heads.clone(),
            first: one.read.found.first,
            columns: one.read.columns.clone(),
            files: vec![vec![one.file]; one.read.found.heads.len()],
            parts: vec![FileRows { file: one.file, first_row: 0, end_row: rows }],
        });
    }
    let columns = SharedColumns::from_files(files);
    match std::fs::remove_file(path) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
        _ => {}
    }
    let mut spool = Spool::create(path)?;
    let (mut facts, mut parts) = (ColumnScanner::default(), Vec::with_capacity(files.len()));
    let (mut reader, mut block) = (FrameReader::default(), RowBlock::default());
    for (one, places) in files.iter().zip(&columns.places) {
        let from = spool.row_count();
        // The position of each combined column in this file.
        let mut sources = vec![None; columns.heads.len()];
        for (own, shared) in places.iter().enumerate() {
            sources[*shared] = Some(own);
        }
        let last = places.iter().max().map_or(0, |last| last + 1);
        for frame in 0..one.spool.frame_count() {
            if watch.is_cancelled() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            one.spool.read_frame(frame, &mut reader)?;
            let above = one.read.found.first.saturating_sub(one.spool.first_row(frame)).min(reader.block.len() as u64);
            block.clear();
            for (at, row) in reader.block.rows().enumerate() {
                // Rows up to the names of the columns are copied as blank rows, so that the numbers of the rows stay
                // the same.
                if at as u64 >= above {
                    for source in &sources[..last] {
                        block.push_cell(source.and_then(|own| row.get(own)).unwrap_or_default());
                    }
                }
                block.end_row(row.place, row.flags);
            }
            facts.add_block(&block, above as usize);
            spool.push(&block)?;
        }
        parts.push(FileRows { file: one.file, first_row: from, end_row: spool.row_count() });
    }
    let mut columns_facts = facts.to_facts();
    columns_facts.resize_with(columns.heads.len(), ColumnFacts::default);
    // The rows above the first values are blank by now; those of the first file can be skipped entirely.
    let first = files.first().map_or(0, |one| one.read.found.first);
    let SharedColumns { heads, files, .. } = columns;
    Ok(CombinedFiles { spool, heads, first, columns: columns_facts, files, parts })
}

/// The columns of several files together.
struct SharedColumns {
    heads: Vec<String>,
    files: Vec<Vec<u32>>,
    /// For each file, the combined column of each of its columns.
    places: Vec<Vec<usize>>,
}

impl SharedColumns {
    fn from_files(files: &[ReadFile]) -> Self {
        let mut shared = Self { heads: Vec::new(), files: Vec::new(), places: Vec::new() };
        // If a file has a name twice, these are two columns, in their order.
        let mut known: HashMap<(String, usize), usize> = HashMap::new();
        for one in files {
            let mut met: HashMap<String, usize> = HashMap::new();
            let mut places = Vec::with_capacity(one.read.found.heads.len());
            for (at, head) in one.read.found.heads.iter().enumerate() {
                let name = normalize_name(head);
                // Columns without a name are the same if they have the same position.
                let number = if name.is_empty() {
                    at
                } else {
                    let count = met.entry(name.clone()).or_default();
                    *count += 1;
                    *count
                };
                let place = *known.entry((name, number)).or_insert_with(|| {
                    shared.heads.push(head.clone());
                    shared.files.push(Vec::new());
                    shared.heads.len() - 1
                });
                shared.files[place].push(one.file);
                places.push(place);
            }
            shared.places.push(places);
        }
        shared
    }
}
