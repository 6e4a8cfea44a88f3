//! Commands that look up whether pasted numbers may be messaged. The page sends the numbers in slices.

use roost_model::time::Timestamp;
use roost_ops::{
    Actor,
    opt_out::{CheckLine, CheckTotals, CheckVerdict, NumberLookup},
};
use serde::{Deserialize, Serialize};

use crate::{
    accounts::App,
    error::CommandError,
    reading::{check_count, parse_region, read_page_request, total_pages},
};

/// The maximum size of a slice. This many numbers can be read in the time that a command may take.
const SLICE_MAX: usize = 2_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OptOutCheck {
    /// Null begins a look-up. The response has its number, which later slices name.
    pub lookup: Option<u32>,
    /// At most 2,000 in a request and 100,000 in a look-up.
    pub numbers: Vec<String>,
    pub region: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OptOutCheckAnswer {
    pub lookup: u32,
    pub totals: CheckTotals,
}

pub(crate) fn check(app: &App, _: &Actor, request: OptOutCheck) -> Result<OptOutCheckAnswer, CommandError> {
    check_count("numbers", request.numbers.len(), SLICE_MAX)?;
    let (core, work) = (app.core()?, app.opt_out_work());
    let region = parse_region(&core, request.region.as_deref())?;
    if let Some(lookup) = request.lookup {
        let totals = work
            .lookups
            .with(app.open_path(), lookup, |known| known.add_numbers(&core, &request.numbers, region))??;
        return Ok(OptOutCheckAnswer { lookup, totals });
    }
    let mut begun = NumberLookup::start(&core);
    let totals = begun.add_numbers(&core, &request.numbers, region)?;
    Ok(OptOutCheckAnswer { lookup: work.lookups.add(app.open_path(), begun), totals })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OptOutCheckPage {
    pub lookup: u32,
    pub only: Option<CheckVerdict>,
    pub page_number: u32,
    pub page_size: u32,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OptOutCheckPageResponse {
    pub total_items: u64,
    pub total_pages: u64,
    pub items: Vec<CheckLine>,
    pub totals: CheckTotals,
    /// The time of the look-up.
    pub at: Timestamp,
    /// Whether anything in the account changed since then.
    pub is_stale: bool,
}

pub(crate) fn check_page(
    app: &App,
    _: &Actor,
    request: OptOutCheckPage,
) -> Result<OptOutCheckPageResponse, CommandError> {
    let page = read_page_request(request.page_number, request.page_size)?;
    let core = app.core()?;
    app.opt_out_work().lookups.with(app.open_path(), request.lookup, |lookup| {
        let (items, total_items) = lookup.read_lines(request.only, page.offset() as usize, page.size as usize);
        OptOutCheckPageResponse {
            total_items,
            total_pages: total_pages(total_items, page),
            items,
            totals: lookup.totals(),
            at: lookup.at(),
            is_stale: lookup.is_stale(&core),
        }
    })
}
