//! Counts the cells of a column that say that somebody opted out.

use roost_spelling::consent::{OptOutCertainty, visit_opt_outs};
use serde::{Deserialize, Serialize};

use crate::mapping::columns::{HISTOGRAM_MAX, ValueCount};

/// The signs in the cells of a column that somebody opted out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportOptOutFacts"))]
pub struct OptOutFacts {
    /// Cells that surely say that somebody opted out.
    pub sure: u64,
    /// Cells that may say so.
    pub doubtful: u64,
    /// Cells that say so if the column holds labels.
    #[serde(default)]
    pub labels: u64,
    /// The values, or the items of lists, with the number of their cells; only the first ones of many.
    pub values: Vec<ValueCount>,
}

impl OptOutFacts {
    pub fn has_any(&self) -> bool {
        self.sure + self.doubtful > 0
    }

    pub fn add_cell(&mut self, cell: &str) {
        let mut most = None;
        visit_opt_outs(cell, |certainty, item| {
            most = most.max(Some(certainty));
            if certainty < OptOutCertainty::Doubtful {
                return;
            }
            let item = item.to_lowercase();
            let has_room = self.values.len() < HISTOGRAM_MAX;
            match self.values.iter_mut().find(|known| known.text == item) {
                Some(known) => known.count += 1,
                None if has_room => self.values.push(ValueCount { text: item, count: 1 }),
                None => {}
            }
        });
        match most {
            Some(OptOutCertainty::Sure) => self.sure += 1,
            Some(OptOutCertainty::Doubtful) => self.doubtful += 1,
            Some(OptOutCertainty::InLabelColumn) => self.labels += 1,
            Some(OptOutCertainty::InConsentColumn) | None => {}
        }
    }
}
