//! Compares two account images. Returns exact counts and, up to a limit, the records that differ.

use roost_store::{
    db::diff::{self, AccountResource, IgnoredFields, RecordDifference},
    image::Image,
};
use serde_json::{Map, Value};

use crate::error::Result;

/// The rules of a comparison, and the number of records to return.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffOptions {
    /// The base of short URLs for links that do not have a base themselves.
    pub default_base: String,
    pub ignored: IgnoredFields,
    /// The maximum number of records returned for each resource and kind of difference. The counts are not limited.
    pub limit: usize,
}

/// A record that exists on one side only.
#[derive(Debug, Clone, PartialEq)]
pub struct UnmatchedRecord {
    pub key: String,
    pub fields: Map<String, Value>,
}

/// A record that exists on both sides and differs.
#[derive(Debug, Clone, PartialEq)]
pub struct DifferingRecord {
    pub key: String,
    /// The changed fields, as in `{"name": {"before": …, "after": …}}`.
    pub fields: Map<String, Value>,
}

/// The exact number of records, and the first of them up to the limit.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedRecords<T> {
    pub count: u64,
    pub items: Vec<T>,
}

impl<T> Default for CountedRecords<T> {
    fn default() -> Self {
        Self { count: 0, items: Vec::new() }
    }
}

impl<T> CountedRecords<T> {
    fn add(&mut self, limit: usize, build: impl FnOnce() -> Result<T>) -> Result<()> {
        self.count += 1;
        if self.items.len() < limit {
            self.items.push(build()?);
        }
        Ok(())
    }
}

/// The differences of one resource.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResourceDifferences {
    pub added: CountedRecords<UnmatchedRecord>,
    pub removed: CountedRecords<UnmatchedRecord>,
    pub changed: CountedRecords<DifferingRecord>,
}

impl ResourceDifferences {
    pub fn count(&self) -> u64 {
        self.added.count + self.removed.count + self.changed.count
    }
}

/// The differences of all resources, in the order of [`AccountResource::ALL`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AccountDiff {
    pub deltas: [ResourceDifferences; AccountResource::ALL.len()],
}

impl AccountDiff {
    pub fn is_empty(&self) -> bool {
        self.deltas.iter().all(|delta| delta.count() == 0)
    }

    pub fn for_resource(&self, resource: AccountResource) -> &ResourceDifferences {
        &self.deltas[resource as usize]
    }
}

/// Compares two images and returns what changed from `before` to `after`.
pub fn compare_images(before: &Image, after: &Image, ask: &DiffOptions) -> Result<AccountDiff> {
    let mut found = AccountDiff::default();
    diff::visit_differences(before, after, &ask.default_base, &ask.ignored, |resource, difference| {
        let delta = &mut found.deltas[resource as usize];
        match difference {
            RecordDifference::Added(record) => delta.added.add(ask.limit, || to_unmatched(&record)),
            RecordDifference::Removed(record) => delta.removed.add(ask.limit, || to_unmatched(&record)),
            RecordDifference::Changed { before, after } => delta.changed.add(ask.limit, || {
                Ok(DifferingRecord {
                    key: before.key()?,
                    fields: before.changed_fields(&after, &ask.ignored, resource)?,
                })
            }),
        }
    })?;
    Ok(found)
}

fn to_unmatched(record: &diff::DiffRecord) -> Result<UnmatchedRecord> {
    Ok(UnmatchedRecord { key: record.key()?, fields: record.to_fields()? })
}

/// Parses the names of resources and fields to ignore, such as `jobs, lists.updated_at`.
pub fn parse_ignored(text: &str) -> std::result::Result<IgnoredFields, String> {
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let read = names.map(|name| {
        let (resource_name, field) =
            name.split_once('.').map_or((name, None), |(resource_name, field)| (resource_name, Some(field)));
        let Some(resource) = AccountResource::parse(resource_name) else {
            let all = AccountResource::ALL.map(AccountResource::as_str).join(", ");
            return Err(format!("unknown resource '{resource_name}'; resources: {all}"));
        };
        let is_custom = |field: &str| resource == AccountResource::Contacts && field.starts_with("field_");
        if let Some(field) = field.filter(|field| !is_custom(field)) {
            let fields = diff::field_names(resource);
            if !fields.iter().any(|known| known == field) {
                return Err(format!("{resource_name} have no field '{field}'; fields: {}", fields.join(", ")));
            }
        }
        Ok((resource, field.map(str::to_owned)))
    });
    read.collect()
}
