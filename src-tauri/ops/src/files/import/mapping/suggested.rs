//! Builds the first mapping of new files from the suggestions for their columns.

use super::{
    super::{
        super::export::columns::{Column, OPTED_OUT},
        columns::ColumnFacts,
    },
    Consent, NumberLabel, OpenMapping, Pick, Piece, Suggestion, Target,
    phones::label_column,
};

const NUMBER_FIELDS: [&str; 3] = ["phone_number", "whatsapp_id", "alternate_phone"];

impl OpenMapping {
    /// Builds the mapping that the suggestions make. Columns of several files that mean the same field fill it
    /// together. Of several telephones, the first valid number becomes the phone number and the next one the alternate
    /// number.
    pub fn of_suggestions(suggested: &[Option<Suggestion>]) -> Self {
        let mut mapping = Self::default();
        let column_piece = |column: usize| Piece::Column { column: column as u32, part: None };
        let mut phones: Vec<(usize, usize)> = Vec::new();
        for (column, suggestion) in suggested.iter().enumerate() {
            match suggestion {
                Some(Suggestion { order: Some(order), .. }) => phones.push((*order, column)),
                Some(Suggestion { field, .. }) => mapping.add_piece(field, column_piece(column)),
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
                "phone_number" => target.pick = Pick::First,
                "alternate_phone" if has_others => target.pick = Pick::Other,
                _ => {}
            }
        }
        mapping.targets.sort_by_key(|target| target.pieces.iter().filter_map(Piece::column).min().copied());
        mapping
    }

    /// Finds the columns with labels for the numbers of other columns.
    pub fn take_labels(&mut self, heads: &[String]) {
        let numbers = self.targets.iter().filter(|target| NUMBER_FIELDS.contains(&target.field.as_str()));
        let mut columns: Vec<u32> =
            numbers.flat_map(|target| &target.pieces).filter_map(Piece::column).copied().collect();
        columns.sort_unstable();
        columns.dedup();
        let labels = columns.into_iter().filter_map(|column| {
            let label = label_column(heads, column as usize)? as u32;
            Some(NumberLabel { column, label })
        });
        self.labels = labels.collect();
    }

    /// Finds the columns in which our exports say who opted out. If they hold no other answers than ours, their meaning
    /// is known and nobody is asked.
    pub fn take_exported_opt_outs(&mut self, heads: &[String], facts: &[ColumnFacts]) {
        for (at, (head, facts)) in heads.iter().zip(facts).enumerate() {
            let Some(Column::OptedOut(channel)) = Column::of_export(head.trim()) else { continue };
            let are_ours = facts.samples.iter().all(|value| OPTED_OUT.contains(&value.as_str()));
            if are_ours && !self.uses(at as u32) {
                self.consents.push(Consent {
                    pieces: vec![Piece::Column { column: at as u32, part: None }],
                    between: String::new(),
                    words: vec![OPTED_OUT[0].to_owned()],
                    keeps: Vec::new(),
                    channels: vec![channel],
                });
            }
        }
    }

    /// Adds a piece to a field.
    pub(super) fn add_piece(&mut self, field: &str, piece: Piece<u32>) {
        match self.targets.iter_mut().find(|target| target.field == field) {
            Some(target) => target.pieces.push(piece),
            None => self.targets.push(Target::new(field, vec![piece])),
        }
    }
}
