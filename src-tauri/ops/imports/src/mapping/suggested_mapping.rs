//! Builds the first mapping of new files from the suggestions for their columns.

use roost_exports::columns::{ExportColumn, OPTED_OUT_VALUES};

use super::{
    ConsentMapping, FieldSuggestion, FieldTarget, NumberLabel, OpenMapping, PieceChoice, ValuePiece,
    columns::ColumnFacts, phones::find_label_column,
};

const NUMBER_FIELDS: [&str; 3] = ["phone_number", "whatsapp_id", "alternate_phone"];

impl OpenMapping {
    /// Builds the mapping that the suggestions make. Columns of several files that mean the same field fill it
    /// together. Of several telephones, the first valid number becomes the phone number and the next one the alternate
    /// number.
    pub fn from_suggestions(suggested: &[Option<FieldSuggestion>]) -> Self {
        let mut mapping = Self::default();
        let column_piece = |column: usize| ValuePiece::Column { column: column as u32, part: None };
        let mut phones: Vec<(usize, usize)> = Vec::new();
        for (column, suggestion) in suggested.iter().enumerate() {
            match suggestion {
                Some(FieldSuggestion { order: Some(order), .. }) => phones.push((*order, column)),
                Some(FieldSuggestion { field, .. }) => mapping.add_piece(field, column_piece(column)),
                None => {}
            }
        }
        phones.sort_unstable();
        phones.iter().for_each(|(_, column)| mapping.add_piece("phone_number", column_piece(*column)));
        let field = |column: usize| suggested[column].as_ref().map(|suggestion| suggestion.field.as_str());
        let has_others = phones.iter().any(|(_, column)| field(*column) == Some("alternate_phone"));
        if has_others {
            phones.iter().for_each(|(_, column)| mapping.add_piece("alternate_phone", column_piece(*column)));
        }
        for target in mapping.targets.iter_mut().filter(|_| phones.len() > 1) {
            match target.field.as_str() {
                "phone_number" => target.pick = PieceChoice::First,
                "alternate_phone" if has_others => target.pick = PieceChoice::Other,
                _ => {}
            }
        }
        mapping.targets.sort_by_key(|target| target.pieces.iter().filter_map(ValuePiece::column).min().copied());
        mapping
    }

    /// Finds the columns with labels for the numbers of other columns.
    pub fn assign_labels(&mut self, heads: &[String]) {
        let numbers = self.targets.iter().filter(|target| NUMBER_FIELDS.contains(&target.field.as_str()));
        let mut columns: Vec<u32> =
            numbers.flat_map(|target| &target.pieces).filter_map(ValuePiece::column).copied().collect();
        columns.sort_unstable();
        columns.dedup();
        let labels = columns.into_iter().filter_map(|column| {
            let label = find_label_column(heads, column as usize)? as u32;
            Some(NumberLabel { column, label })
        });
        self.labels = labels.collect();
    }

    /// Finds the columns in which our exports say who opted out. If they hold no other answers than ours, their meaning
    /// is known and nobody is asked.
    pub fn assign_exported_opt_outs(&mut self, heads: &[String], facts: &[ColumnFacts]) {
        for (at, (head, facts)) in heads.iter().zip(facts).enumerate() {
            let Some(ExportColumn::OptedOut(channel)) = ExportColumn::from_export_name(head.trim()) else { continue };
            let are_ours = facts.samples.iter().all(|value| OPTED_OUT_VALUES.contains(&value.as_str()));
            if are_ours && !self.uses_column(at as u32) {
                self.consents.push(ConsentMapping {
                    pieces: vec![ValuePiece::Column { column: at as u32, part: None }],
                    between: String::new(),
                    words: vec![OPTED_OUT_VALUES[0].to_owned()],
                    keeps: Vec::new(),
                    channels: vec![channel],
                });
            }
        }
    }

    /// Adds a piece to a field.
    pub(super) fn add_piece(&mut self, field: &str, piece: ValuePiece<u32>) {
        match self.targets.iter_mut().find(|target| target.field == field) {
            Some(target) => target.pieces.push(piece),
            None => self.targets.push(FieldTarget::new(field, vec![piece])),
        }
    }
}
