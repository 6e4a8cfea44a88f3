//! A filter of contacts: conditions in and/or groups, as people build them.

mod date;
mod json;
mod time;

use crate::{
    channel::Channel,
    contact::ContactField,
    id::{AssetId, ListId},
    page::SortOrder,
    readiness::Readiness,
};

pub use self::{
    date::{BIRTHDAY_DAYS_MAX, DateOp, DateRange, DateTest, day_number},
    json::{parse_filter, parse_sort},
    time::{TimeOp, TimeSpan},
};

/// Deepest nesting of groups.
pub const DEPTH_MAX: usize = 8;
pub const CONDITIONS_MAX: usize = 100;
/// Most values of one `one_of` condition.
pub const VALUES_MAX: usize = 1_000;
/// Most characters of a value.
pub const VALUE_MAX: usize = 1_000;
pub const SORT_KEYS_MAX: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FilterExpression {
    /// Every part must hold. An empty group holds.
    All(Vec<FilterExpression>),
    /// At least one part must hold. An empty group holds.
    Any(Vec<FilterExpression>),
    Not(Box<FilterExpression>),
    Is(FilterCondition),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FilterCondition {
    Text {
        field: ContactField,
        op: TextOp,
        value: String,
        is_case_sensitive: bool,
    },
    /// The value is exactly one of these. `None` stands for an empty value.
    OneOf {
        field: ContactField,
        values: Vec<Option<String>>,
    },
    Blank {
        field: ContactField,
        is: bool,
    },
    Time {
        field: TimeField,
        op: TimeOp,
        span: TimeSpan,
    },
    /// Tests the date in a text field.
    Date {
        field: ContactField,
        test: DateTest,
    },
    OptedOut {
        of: OptedOutOf,
        reach: ReachFilter,
        is: bool,
    },
    /// Whether a contact of that list has the same phone or WhatsApp number.
    InList {
        list: ListId,
        is: bool,
    },
    /// Whether a cell of the contact is a draft.
    Draft {
        is: bool,
    },
    /// Whether another contact of the same list has the same value.
    Duplicate {
        by: DuplicateBy,
        is: bool,
    },
    /// Whether the contact can be messaged, or why not.
    Readiness {
        status: Readiness,
        channel: Channel,
        /// Only opt-outs that apply to this asset count. `None` counts those of every asset.
        asset: Option<AssetId>,
        is: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextOp {
    Is,
    IsNot,
    Contains,
    ContainsNot,
    Starts,
    Ends,
    /// A regular expression.
    Matches,
    MatchesNot,
}

crate::variant_names! {
    pub TextOp {
        Is = "is", IsNot = "is_not", Contains = "contains", ContainsNot = "contains_not", Starts = "starts",
        Ends = "ends", Matches = "matches", MatchesNot = "matches_not",
    }
}

impl TextOp {
    pub fn is_pattern(self) -> bool {
        matches!(self, Self::Matches | Self::MatchesNot)
    }

    /// Returns whether the operator negates another one. Only negations match an empty value.
    pub fn is_negation(self) -> bool {
        matches!(self, Self::IsNot | Self::ContainsNot | Self::MatchesNot)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimeField {
    CreatedAt,
    UpdatedAt,
}

crate::variant_names! { pub TimeField { CreatedAt = "created_at", UpdatedAt = "updated_at" } }

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OptedOutOf {
    Any,
    Sms,
    Whatsapp,
}

crate::variant_names! { pub OptedOutOf { Any = "any", Sms = "sms", Whatsapp = "whatsapp" } }

/// The scopes of opt-outs that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReachFilter {
    Any,
    Account,
    Asset,
}

crate::variant_names! { pub ReachFilter { Any = "any", Account = "account", Asset = "asset" } }

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DuplicateBy {
    Phone,
    Whatsapp,
    Email,
}

crate::variant_names! { pub DuplicateBy { Phone = "phone", Whatsapp = "whatsapp", Email = "email" } }

/// One column of a sort order. The first column has precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SortKey {
    pub field: ContactField,
    pub order: SortOrder,
}

impl FilterExpression {
    /// Returns all conditions of the filter.
    pub fn conditions(&self) -> Vec<&FilterCondition> {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::conditions).collect(),
            Self::Not(part) => part.conditions(),
            Self::Is(condition) => vec![condition],
        }
    }

    /// Returns whether the result depends on the time at which the filter is evaluated.
    pub fn follows_clock(&self) -> bool {
        self.conditions().into_iter().any(|condition| match condition {
            FilterCondition::Date { test, .. } => test.follows_clock(),
            FilterCondition::Time { span, .. } => matches!(span, TimeSpan::Days(_)),
            _ => false,
        })
    }
}
