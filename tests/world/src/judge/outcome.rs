//! Decides which outcomes of a row are legitimate.

use super::ledger::{RowHistory, RowKind, WorldHistory};
use super::say::NUMBER_FIELDS;

/// The legitimate outcome of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowOutcome {
    /// It exists once, with the stated values.
    Alive,
    /// It does not exist at the service.
    Gone,
    /// It exists once and complete, or it is in the trash, or a question is open.
    Traced,
    /// It exists once or not at all.
    Free,
}

impl RowHistory {
    /// Returns whether the person stated something that a deletion at `moment` overtook.
    fn has_values_after(&self, moment: u64) -> bool {
        self.words.iter().any(|word| word.here && (word.moment > moment || word.arrived == 0 || word.arrived > moment))
            || self.life.iter().any(|event| event.here && event.alive && event.moment > moment)
    }

    fn own_outcome(&self) -> RowOutcome {
        if self.loose_life {
            return RowOutcome::Free;
        }
        let here = self.last_life(true);
        let deleted_here = here.filter(|event| !event.alive);
        if let Some(there) = self.last_life(false).filter(|event| !event.alive) {
            if deleted_here.is_some() {
                return RowOutcome::Gone;
            }
            return match self.kind {
                RowKind::Sender => RowOutcome::Free,
                // The deleted record may be the one that a move left behind.
                _ if self.lists.len() > 1 => RowOutcome::Free,
                _ if self.has_values_after(there.moment) => RowOutcome::Traced,
                // The engine cannot know whether its job created the contact, or whether its own deletion had an effect.
                _ if self.lost_unread => RowOutcome::Traced,
                _ => RowOutcome::Gone,
            };
        }
        let Some(deletion) = deleted_here else {
            return RowOutcome::Alive;
        };
        let concurrent = self.words.iter().any(|word| {
            !word.here && (word.moment > deletion.moment || word.shown == 0 || word.shown > deletion.moment)
        });
        if concurrent { RowOutcome::Free } else { RowOutcome::Gone }
    }

    /// Returns whether somebody's last statement allows a value at the service.
    pub(crate) fn allows_outcome(&self, field: usize, value: Option<&str>) -> bool {
        let mut of_field = self.words.iter().filter(|word| word.field == field);
        if self.loose_values || self.loose_life {
            // Rows are recognized by their numbers. Other fields may also be empty.
            return (value.is_none() && !NUMBER_FIELDS.contains(&field))
                || of_field.any(|word| word.value.as_deref() == value)
                || (value.is_none() && !self.words.iter().any(|word| word.field == field));
        }
        let here = self.words.iter().rev().find(|word| word.field == field && word.here);
        let there = self.words.iter().rev().find(|word| word.field == field && !word.here);
        // A row that the person deleted afterwards exists again because another writer stated a value.
        let deleted = self.last_life(true).filter(|event| !event.alive).map_or(0, |event| event.moment);
        match (here, there) {
            (None, None) => value.is_none(),
            (Some(here), None) if here.moment < deleted && here.arrived == 0 && value.is_none() => true,
            (Some(word), None) | (None, Some(word)) => word.value.as_deref() == value,
            (Some(here), Some(there)) => {
                let here_wins = there.moment < here.moment
                    && there.shown != 0
                    && there.shown < here.moment
                    && (deleted < here.moment || here.arrived != 0);
                let there_wins = here.arrived != 0 && here.arrived < there.moment;
                (here.value.as_deref() == value && !there_wins) || (there.value.as_deref() == value && !here_wins)
            }
        }
    }
}

impl WorldHistory {
    /// Returns the legitimate outcome of a row, considering its list.
    pub(crate) fn find_outcome(&self, index: usize) -> RowOutcome {
        let Some(story) = self.stories.get(index) else {
            return RowOutcome::Free;
        };
        match story.kind {
            RowKind::Contact => self.contact_outcome(story),
            RowKind::List => self.list_outcome(index, story),
            RowKind::Link | RowKind::Sender => story.own_outcome(),
        }
    }

    fn contact_outcome(&self, story: &RowHistory) -> RowOutcome {
        let own = story.own_outcome();
        if own == RowOutcome::Gone {
            // Restoring a list may restore the rows that were deleted with it.
            let lost = story.last_life(false).filter(|event| !event.alive).map(|event| event.moment);
            let with_list = story.lists.last().and_then(|list| self.stories.get(*list)?.last_life(true));
            let restored = with_list.is_some_and(|event| event.alive && lost.is_some_and(|lost| event.moment > lost));
            let deleted = story.last_life(true).is_some_and(|event| !event.alive);
            // A renamed list is a new list, so a deletion may race with the move of the row.
            let renamed = story.lists.iter().any(|list| {
                self.stories.get(*list).is_some_and(|list| {
                    list.words.iter().filter(|word| word.here).count() > usize::from(!list.is_created_at_service())
                })
            });
            return if (restored || renamed) && !deleted { RowOutcome::Free } else { own };
        }
        let Some(list_index) = story.lists.last().copied() else {
            return RowOutcome::Free;
        };
        let Some(list) = self.stories.get(list_index) else {
            return RowOutcome::Free;
        };
        let lost_home = story
            .lists
            .iter()
            .rev()
            .skip(1)
            .any(|home| self.stories.get(*home).is_some_and(|home| home.life.iter().any(|event| !event.alive)));
        let deleted_there = list.last_life(false).is_some_and(|event| !event.alive);
        let deleted_here = list.last_life(true).is_some_and(|event| !event.alive);
        match self.list_outcome(list_index, list) {
            // The row was moved out of a list that somebody deleted before the move arrived.
            RowOutcome::Alive if lost_home && own == RowOutcome::Alive => RowOutcome::Traced,
            RowOutcome::Alive => own,
            RowOutcome::Gone | RowOutcome::Traced if deleted_there && !deleted_here && own != RowOutcome::Free => {
                RowOutcome::Traced
            }
            _ => RowOutcome::Free,
        }
    }

    fn list_outcome(&self, index: usize, list: &RowHistory) -> RowOutcome {
        if list.loose_life {
            return RowOutcome::Free;
        }
        let inside = |story: &&RowHistory| story.lists.contains(&index);
        let own = list.own_outcome();
        let there = list.last_life(false).filter(|event| !event.alive).map(|event| event.moment);
        let here = list.last_life(true).filter(|event| !event.alive).map(|event| event.moment);
        match (there, here) {
            (Some(moment), None) if own == RowOutcome::Gone => {
                let held = self.stories.iter().filter(inside).any(|story| story.has_values_after(moment));
                if held { RowOutcome::Traced } else { RowOutcome::Gone }
            }
            (None, Some(moment)) if own == RowOutcome::Gone => {
                let changed =
                    self.stories.iter().filter(inside).any(|story| {
                        story.words.iter().any(|word| !word.here && (word.shown == 0 || word.shown > moment))
                    });
                if changed { RowOutcome::Free } else { RowOutcome::Gone }
            }
            _ => own,
        }
    }
}
