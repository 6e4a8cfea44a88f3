//! Pairs records that were created locally with records that appeared at the service, so that one contact does not
//! become two.

use std::collections::BTreeMap;

use crate::row::{ContactKey, ContactRow};

/// Pairs the new local contacts of one list with the contacts that are new at the service. It pairs equal contacts
/// first, then those that differ in form alone, then those that share a number that no other contact on either side
/// has. Each contact is paired at most once.
pub fn pair_records<'a>(here: &[(i64, &ContactRow)], there: &[(&'a str, &ContactRow)]) -> Vec<(i64, &'a str)> {
    if here.is_empty() || there.is_empty() {
        return Vec::new();
    }
    let mut pairs = Vec::new();
    let mut free_here: Vec<bool> = vec![true; here.len()];
    let mut free_there: Vec<bool> = vec![true; there.len()];
    let mut join = |mine: usize, theirs: usize, free_here: &mut [bool], free_there: &mut [bool]| {
        (free_here[mine], free_there[theirs]) = (false, false);
        pairs.push((here[mine].0, there[theirs].0));
    };
    for form in [|row: &ContactRow| row.clone(), ContactRow::to_folded] {
        let mut equal: BTreeMap<ContactRow, Vec<usize>> = BTreeMap::new();
        for (at, (_, row)) in there.iter().enumerate().rev().filter(|(at, _)| free_there[*at]) {
            equal.entry(form(row)).or_default().push(at);
        }
        for (mine, (_, row)) in here.iter().enumerate() {
            let same = if free_here[mine] { equal.get_mut(&form(row)) } else { None };
            if let Some(theirs) = same.and_then(Vec::pop) {
                join(mine, theirs, &mut free_here, &mut free_there);
            }
        }
    }
    let by_key = |rows: &mut dyn Iterator<Item = (usize, &ContactRow)>| {
        let mut places: BTreeMap<ContactKey, Vec<usize>> = BTreeMap::new();
        for (at, row) in rows {
            row.keys().for_each(|key| places.entry(key).or_default().push(at));
        }
        places
    };
    let rows_here = here.iter().enumerate().filter(|(at, _)| free_here[*at]).map(|(at, (_, row))| (at, *row));
    let keys_here = by_key(&mut { rows_here });
    let rows_there = there.iter().enumerate().filter(|(at, _)| free_there[*at]).map(|(at, (_, row))| (at, *row));
    let keys_there = by_key(&mut { rows_there });
    for (key, mine) in &keys_here {
        if let ([mine], Some([theirs])) = (mine.as_slice(), keys_there.get(key).map(Vec::as_slice))
            && free_here[*mine]
            && free_there[*theirs]
        {
            join(*mine, *theirs, &mut free_here, &mut free_there);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::SyncField;

    #[test]
    fn equal_records_are_paired_first_and_then_records_that_alone_share_a_number() {
        let row = |phone: &str, note: &str| {
            ContactRow::default().with_value(SyncField::Phone, phone).with_value(SyncField::Custom(1), note)
        };
        let (a, b, c, d) = (row("+1", "x"), row("+1", "y"), row("+2", "x"), row("+2", "z"));
        assert_eq!(
            pair_records(&[(1, &a), (2, &b), (3, &c)], &[("B", &b), ("A", &a), ("D", &d)]),
            [(1, "A"), (2, "B"), (3, "D")]
        );
        assert_eq!(pair_records(&[(1, &c)], &[("A", &a)]), []);
        assert_eq!(pair_records(&[(1, &c)], &[("D", &d), ("E", &row("+2", "w"))]), [], "twins are not guessed at");
        assert_eq!(pair_records(&[(1, &a), (2, &a)], &[("A", &a)]), [(1, "A")]);
        let (shouted, other) = (row("+1", "X"), row("+1", "other"));
        assert_eq!(pair_records(&[(1, &a)], &[("O", &other), ("S", &shouted)]), [(1, "S")]);
    }
}
