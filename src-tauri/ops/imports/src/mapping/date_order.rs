//! Determines whether the day or the month comes first in the dates of a file. Dates that can have only one meaning
//! decide it; if there is none, the import asks.

use super::{
    OpenMapping, ValuePiece,
    dates::{DateOrder, WrittenDate, parse_file_date},
};
use crate::mapping::columns::ColumnFacts;

const DATE_FIELD: &str = "date_of_birth";

impl OpenMapping {
    /// Returns the facts of the columns that hold dates.
    fn date_facts<'a>(&'a self, facts: &'a [ColumnFacts]) -> impl Iterator<Item = &'a ColumnFacts> {
        let pieces = self.targets.iter().filter(|target| target.field == DATE_FIELD).flat_map(|target| &target.pieces);
        pieces.filter_map(ValuePiece::column).filter_map(|column| facts.get(*column as usize))
    }

    /// Returns the order that the mapping names, or else the one that the file proves.
    fn known_date_order(&self, facts: &[ColumnFacts]) -> Option<DateOrder> {
        let proofs = |count: fn(&ColumnFacts) -> u32| self.date_facts(facts).map(count).sum::<u32>();
        let proved = || match (proofs(|facts| facts.looks.day_first), proofs(|facts| facts.looks.month_first)) {
            (1.., 0) => Some(DateOrder::DayFirst),
            (0, 1..) => Some(DateOrder::MonthFirst),
            _ => None,
        };
        self.date_order.or_else(proved)
    }

    /// Fills in the order of dates that the file proves, if the mapping does not name one.
    pub fn with_date_order(self, facts: &[ColumnFacts]) -> Self {
        Self { date_order: self.known_date_order(facts), ..self }
    }

    /// Returns a date with two meanings, if neither the mapping nor the file says which one is right.
    pub fn ambiguous_date(&self, facts: &[ColumnFacts]) -> Option<String> {
        if self.known_date_order(facts).is_some() {
            return None;
        }
        let facts = self.date_facts(facts).find(|facts| facts.looks.ambiguous_dates > 0)?;
        let is_ambiguous = |text: &&String| matches!(parse_file_date(text, None), Some(WrittenDate::Ambiguous { .. }));
        Some(facts.samples.iter().find(is_ambiguous).map_or_else(|| "01/02/1950".to_owned(), String::clone))
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{FieldTarget, Mapping},
        *,
    };
    use crate::mapping::columns::ColumnScanner;

    #[test]
    fn the_order_of_dates_is_detected_or_requested() {
        use DateOrder::{AsWritten, DayFirst, MonthFirst};
        for (chosen, dates, order, question) in [
            (None, &["01/02/1950", "13/02/1950"][..], Some(DayFirst), None),
            (None, &["01/02/1950", "02/13/1950"], Some(MonthFirst), None),
            (None, &["1950-02-01", "x", "05/05/1950"], None, None),
            (None, &["1950-02-01", "01/02/1950"], None, Some("01/02/1950")),
            (None, &["01/02/1950", "13/02/1950", "02/13/1950"], None, Some("01/02/1950")),
            (None, &["1985-02-01", "5 May 1988", "07/08/90"], None, Some("07/08/90")),
            (None, &["07/08/90", "25/12/89"], Some(DayFirst), None),
            (Some(MonthFirst), &["01/02/1950", "13/02/1950"], Some(MonthFirst), None),
            (Some(AsWritten), &["01/02/1950"], Some(AsWritten), None),
        ] {
            let mut block = roost_sheets::RowBlock::default();
            for date in dates {
                block.push_cell(date);
                block.end_row(1, roost_sheets::RowFlags::default());
            }
            let mut columns = ColumnScanner::default();
            columns.add_block(&block, 0);
            let facts = columns.to_facts();
            let column = ValuePiece::Column { column: 0, part: None };
            let targets = vec![FieldTarget::new(DATE_FIELD, vec![column.clone()])];
            let mapping = Mapping { targets, date_order: chosen, ..Mapping::default() };
            assert_eq!(mapping.ambiguous_date(&facts).as_deref(), question, "{dates:?}");
            assert_eq!(mapping.clone().with_date_order(&facts).date_order, order, "{dates:?}");
            let other = Mapping { targets: vec![FieldTarget::new("city", vec![column])], ..mapping };
            assert_eq!(other.ambiguous_date(&facts), None, "only dates of birth are dates");
        }
    }
}
