//! Describes the drafts of a row with the message of each rule, and the row's changes that a push would send.

use roost_model::contact::ContactField;
use roost_store::tables::{contacts::grid::drafts, custom_fields, sync::unsent};

pub use roost_store::tables::sync::unsent::{AgreedValue, UnsentChange};

use super::{
    super::{Grid, ViewId, reading},
    cells::{EditSheet, TargetRow},
    plan::ColumnNames,
};
use roost_ops::{contact::fields, core::Core, error::Result};
use serde::Serialize;

/// A refused text of a cell, the value that the cell still has, and the message of its rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridDraft"))]
pub struct CellDraft {
    pub field: String,
    pub text: String,
    pub value: Option<String>,
    pub message: String,
}

impl Grid {
    /// Returns the changes to a row that the service does not have yet.
    pub fn find_unsent_change(&self, core: &Core, view: ViewId, row: u64) -> Result<Option<UnsentChange>> {
        let view = self.find_view(view)?;
        let rows = view.rows();
        let Some(id) = usize::try_from(row).ok().and_then(|row| rows.ids.get(row)).copied() else { return Ok(None) };
        core.read(|tx| {
            let custom = custom_fields::defined_numbers(tx)?.into_iter().map(ContactField::Custom);
            let fields: Vec<_> = ContactField::BEFORE_CUSTOM.into_iter().chain(custom).collect();
            Ok(unsent::find_unsent_change(tx, reading::find_list_row(tx, &view.spec)?, id, &fields)?)
        })
    }

    /// Returns the drafts of a row. The result is empty if the row has none or was removed.
    pub fn read_drafts(&self, core: &Core, view: ViewId, row: u64) -> Result<Vec<CellDraft>> {
        let view = self.find_view(view)?;
        let rows = view.rows();
        let Some(id) = usize::try_from(row).ok().and_then(|row| rows.ids.get(row)).copied() else {
            return Ok(Vec::new());
        };
        core.read(|tx| {
            let typed = drafts::read_drafts(tx, &[id])?.remove(&id).unwrap_or_default();
            let names = ColumnNames::read(tx)?;
            let known: Vec<_> =
                typed.into_iter().filter_map(|(name, text)| Some((names.to_field(&name)?, text))).collect();
            let targets: Vec<_> = known.iter().map(|(field, _)| *field).collect();
            let sheet = EditSheet::new(tx, core.ctx(), reading::find_list_row(tx, &view.spec)?, &targets, &[], None)?;
            let mut drafts = Vec::new();
            let item = TargetRow { id, row: row as u32, n: 0, first: 0 };
            sheet.collect_changes(tx, &[item], &Default::default(), &mut Default::default(), &mut |_, seen, _| {
                for (field, text) in &known {
                    let given = Some(text.as_str()).filter(|text| !text.is_empty());
                    let message = match fields::check_cell(*field, given, |text| sheet.region_of(seen, text)) {
                        Err(fault) => fault.message,
                        // The cell was emptied, and the rule refused it because the contact has no other number.
                        Ok(_) if given.is_none() => fields::no_number_error().to_string(),
                        // The rule has changed, for example by another region or a longer limit.
                        Ok(_) => "The value is valid now. Enter it again.".to_owned(),
                    };
                    drafts.push(CellDraft {
                        field: field.name().into_owned(),
                        text: text.clone(),
                        value: seen.stored_value(sheet.column_of(*field)).map(str::to_owned),
                        message,
                    });
                }
                Ok(())
            })?;
            Ok(drafts)
        })
    }
}
