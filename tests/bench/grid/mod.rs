//! P5, P6, P9 and P12: views of a million contacts, their memory, and their scrolling.

pub(crate) mod acts;
pub(crate) mod file;
mod peer;
pub(crate) mod scroll;
pub(crate) mod sizes;
pub(crate) mod views;

use std::{
    error::Error,
    fs,
    hint::black_box,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use roost_grid::{
    ContactViews,
    grid::{ViewId, ViewSpec},
};
use roost_model::{
    contact::{Attribute, ContactField},
    filter::{FilterCondition, FilterExpression, SortKey, TextOp},
    id::ListId,
    page::SortOrder,
};
use roost_ops::{Core, Ctx};

const ROWS: u64 = 1_000_000;
const WINDOW: u32 = 200;

fn elapsed_ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1_000.0
}

/// Returns the smallest of several times, because other load on the machine only adds to a time.
fn least_of(runs: &[f64]) -> f64 {
    runs.iter().copied().fold(f64::MAX, f64::min)
}

fn contact_field(attribute: Attribute) -> ContactField {
    ContactField::Attribute(attribute)
}

/// Returns a view of the towns that contain "on", sorted by surname.
fn sorted_and_filtered(list: &ListId) -> ViewSpec {
    let condition = FilterCondition::Text {
        field: contact_field(Attribute::City),
        op: TextOp::Contains,
        value: "on".to_owned(),
        is_case_sensitive: false,
    };
    let sort = vec![SortKey { field: contact_field(Attribute::Lastname), order: SortOrder::Ascending }];
    ViewSpec { list: list.clone(), filter: Some(FilterExpression::Is(condition)), text: None, sort, has_deleted: false }
}

fn sorted_spec(list: &ListId) -> ViewSpec {
    ViewSpec { filter: None, ..sorted_and_filtered(list) }
}

/// Returns the names of the twenty-four columns that belong to a contact.
fn contact_columns() -> Vec<String> {
    let fixed = ContactField::BEFORE_CUSTOM.map(|field| field.name().into_owned());
    fixed
        .into_iter()
        .chain((1..=file::CUSTOM).map(|n| format!("field_{n}")))
        .filter(|name| name != "uid" && !name.ends_with("region"))
        .collect()
}

/// Creates a temporary folder on a disk with space for long lists.
fn temporary_folder() -> Result<tempfile::TempDir, Box<dyn Error>> {
    fs::create_dir_all("target")?;
    Ok(tempfile::tempdir_in("target")?)
}

struct GridBench {
    core: Core,
    views: Arc<ContactViews>,
    list: ListId,
    path: PathBuf,
}

impl GridBench {
    fn open(folder: &Path, rows: u64) -> Result<Self, Box<dyn Error>> {
        let path = folder.join("account.roost");
        let list = file::make_in_process(&path, rows)?;
        let core = Core::open(&path, Ctx::system())?;
        Ok(Self { views: ContactViews::attach(&core), core, list, path })
    }

    /// Opens a view and waits until it is built.
    fn open_view(&self, spec: ViewSpec) -> Result<(ViewId, u64), Box<dyn Error>> {
        let grid = &self.views.grid;
        let (view, _) = grid.open(&self.core, spec)?;
        loop {
            let state = grid.read_status(&self.core, view, Some(0), Duration::from_secs(1))?;
            if let Some(fault) = state.fault {
                return Err(fault.into());
            }
            if !state.is_building {
                return Ok((view, state.total));
            }
        }
    }

    /// Returns the milliseconds to build a view from scratch, and the view.
    fn time_build(&self, spec: ViewSpec) -> Result<(f64, ViewId), Box<dyn Error>> {
        self.views.grid.clear_cached_orders();
        let begun = Instant::now();
        let (view, _) = self.open_view(spec)?;
        Ok((elapsed_ms(begun), view))
    }

    /// Returns the milliseconds of each of several windows after a row.
    fn time_windows(&self, view: ViewId, from: u64, columns: &[String]) -> Result<Vec<f64>, Box<dyn Error>> {
        (0..40)
            .map(|n| {
                let begun = Instant::now();
                black_box(self.views.grid.read_window(&self.core, view, None, from + n * 50, WINDOW, columns)?);
                Ok(elapsed_ms(begun))
            })
            .collect()
    }

    /// Returns the milliseconds to find a text when only the order of the rows is cached, and the rows found.
    fn time_search(&self, text: &str) -> Result<(f64, Vec<i64>), Box<dyn Error>> {
        let grid = &self.views.grid;
        let (_, all) = self.time_build(sorted_spec(&self.list))?;
        let begun = Instant::now();
        let (view, total) = self.open_view(ViewSpec { text: Some(text.to_owned()), ..sorted_spec(&self.list) })?;
        let took = elapsed_ms(begun);
        let ids = grid.row_ids(view, &roost_model::intervals::RowIntervals::all_below(total))?;
        grid.close(view);
        grid.close(all);
        Ok((took, ids))
    }

    /// Waits until the texts of the list are in memory.
    fn wait_until_prepared(&self) {
        while self.views.grid.is_preparing() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
