//! Finds the name that a misspelt one was probably meant for.

/// The minimum similarity of two names.
const MIN_LIKENESS: f64 = 0.8;

/// Returns the known name that is most similar to the given one, if it is similar enough.
pub(crate) fn nearest_name<'n>(given: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let given = given.to_lowercase();
    let likeness = |name: &str| strsim::jaro_winkler(&name.to_lowercase(), &given);
    known.max_by(|a, b| likeness(a).total_cmp(&likeness(b))).filter(|name| likeness(name) > MIN_LIKENESS)
}
