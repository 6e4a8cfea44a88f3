//! Which contacts are wanted: conditions in and/or groups, as people build them.

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
    json::{read, read_sort},
    time::{TimeOp, TimeSpan},
};

/// Groups in groups, at most.
pub const DEPTH_MAX: usize = 8;
pub const CONDITIONS_MAX: usize = 100;
/// Values of one `one_of`.
pub const VALUES_MAX: usize = 1_000;
/// Characters of a value.
pub const VALUE_MAX: usize = 1_000;
pub const SORT_KEYS_MAX: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Filter {
    /// Every one holds; an empty group always does.
    All(Vec<Filter>),
    /// One at least holds; an empty group always does.
    Any(Vec<Filter>),
    Not(Box<Filter>),
    Is(Condition),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Condition {
    Text {
        field: ContactField,
        op: TextOp,
        value: String,
        is_case_sensitive: bool,
    },
    /// Exactly one of these; none stands for blank.
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
    /// What date a text field holds.
    Date {
        field: ContactField,
        test: DateTest,
    },
    OptedOut {
        of: OptedOutOf,
        reach: Reach,
        is: bool,
    },
    /// Whether a contact of that list has the same phone or WhatsApp number.
    InList {
        list: ListId,
        is: bool,
    },
    /// Whether a cell of it is a draft.
    Draft {
        is: bool,
    },
    /// Whether another contact of its list has the same.
    Duplicate {
        by: DuplicateBy,
        is: bool,
    },
    /// Whether it can be messaged, or why not.
    Readiness {
        status: Readiness,
        channel: Channel,
        /// Opt-outs of other assets do not count; none: those of every asset do.
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

impl TextOp {
    pub const ALL: [Self; 8] = [
        Self::Is,
        Self::IsNot,
        Self::Contains,
        Self::ContainsNot,
        Self::Starts,
        Self::Ends,
        Self::Matches,
        Self::MatchesNot,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Is => "is",
            Self::IsNot => "is_not",
            Self::Contains => "contains",
            Self::ContainsNot => "contains_not",
            Self::Starts => "starts",
            Self::Ends => "ends",
            Self::Matches => "matches",
            Self::MatchesNot => "matches_not",
        }
    }

    pub fn is_pattern(self) -> bool {
        matches!(self, Self::Matches | Self::MatchesNot)
    }

    /// Whether it holds of what the other one refuses. A blank fits none but the negations.
    pub fn is_negation(self) -> bool {
        matches!(self, Self::IsNot | Self::ContainsNot | Self::MatchesNot)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimeField {
    CreatedAt,
    UpdatedAt,
}

impl TimeField {
    pub const ALL: [Self; 2] = [Self::CreatedAt, Self::UpdatedAt];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::CreatedAt => "created_at",
            Self::UpdatedAt => "updated_at",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OptedOutOf {
    Any,
    Sms,
    Whatsapp,
}

impl OptedOutOf {
    pub const ALL: [Self; 3] = [Self::Any, Self::Sms, Self::Whatsapp];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Sms => "sms",
            Self::Whatsapp => "whatsapp",
        }
    }
}

/// How far an opt-out goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    Any,
    Account,
    Asset,
}

impl Reach {
    pub const ALL: [Self; 3] = [Self::Any, Self::Account, Self::Asset];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Account => "account",
            Self::Asset => "asset",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DuplicateBy {
    Phone,
    Whatsapp,
    Email,
}

impl DuplicateBy {
    pub const ALL: [Self; 3] = [Self::Phone, Self::Whatsapp, Self::Email];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Phone => "phone",
            Self::Whatsapp => "whatsapp",
            Self::Email => "email",
        }
    }
}

/// One column of an order; the first counts most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SortKey {
    pub field: ContactField,
    pub order: SortOrder,
}

impl Filter {
    /// Every condition in it.
    pub fn conditions(&self) -> Vec<&Condition> {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::conditions).collect(),
            Self::Not(part) => part.conditions(),
            Self::Is(condition) => vec![condition],
        }
    }

    /// Whether what matches depends on the time at which it is looked at.
    pub fn follows_clock(&self) -> bool {
        self.conditions().into_iter().any(|condition| match condition {
            Condition::Date { test, .. } => test.follows_clock(),
            Condition::Time { span, .. } => matches!(span, TimeSpan::Days(_)),
            _ => false,
        })
    }
}
