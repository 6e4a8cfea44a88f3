//! The account as the engine shows it, and the intentions of the person.

use std::collections::BTreeMap;

use crate::kinds::PersonActKind;

/// Texts by field name. An empty field is absent or "".
pub type FieldTexts = BTreeMap<String, String>;

/// A row that the engine shows.
///
/// The names in `values`, by kind of row:
/// * contact: the names of interface 2.3a (`phone_number`, `whatsapp_id`, `title`,
///   …, `field_3`); numbers in E.164. Other names are ignored.
/// * list: `name`.
/// * link: `title`, `target_url`.
/// * sender: `name`.
/// * opt-out: `number` (absent when the record does not name one), `channel` as the
///   service writes it, `asset` (absent: account level), `kind`, and
///   `removal` = `pending` while a confirmed removal waits to be sent.
/// * trash: `kind` = `contact`, `list`, `link` or `sender`, besides the values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountRow {
    /// The engine's own stable key.
    pub key: String,
    /// The service's UID, once it is known. Opt-outs have none.
    pub uid: Option<String>,
    /// For contacts, also in the trash: the engine's key of their list.
    pub list_key: Option<String>,
    pub values: FieldTexts,
}

/// A question or notice that the person sees until it is answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenQuestion {
    /// The kind of the question. Only used in messages.
    pub kind: String,
    /// Every row that it concerns: own keys, UIDs, numbers in E.164, or names of lists and links. A question without
    /// subjects concerns everything.
    pub subjects: Vec<String>,
    /// The reason that the person reads. Must not be empty.
    pub reason: String,
}

/// Work that has not arrived at the service yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PendingWork {
    /// The engine's key of the row, or its number.
    pub subject: String,
    pub what: String,
}

/// A row that the account counts as changed and not sent yet, whether it can be sent or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnsentChange {
    /// `contact`, `list`, `link`, `sender` or `opt-out`.
    pub kind: String,
    /// The engine's key of the row and its UID, or its number.
    pub subjects: Vec<String>,
    pub what: String,
}

/// The data that the engine shows at one moment.
///
/// Rows that were deleted here but not yet at the service belong in `trash` and not in
/// the other vectors. So do rows that were deleted at the service and can be restored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountState {
    pub lists: Vec<AccountRow>,
    pub contacts: Vec<AccountRow>,
    pub opt_outs: Vec<AccountRow>,
    pub links: Vec<AccountRow>,
    pub senders: Vec<AccountRow>,
    pub questions: Vec<OpenQuestion>,
    /// Rows that the person can restore.
    pub trash: Vec<AccountRow>,
    /// The channel and number of everyone whom the engine counts as reachable.
    pub reachable: Vec<(String, String)>,
    pub pending: Vec<PendingWork>,
    pub unsent: Vec<UnsentChange>,
    /// Whether a push was interrupted and has not ended yet.
    pub has_open_run: bool,
}

/// A row of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportRow {
    pub values: FieldTexts,
    /// Channels on which the row says that the person opted out.
    pub opt_outs: Vec<String>,
}

/// An act of the person on concrete rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonDeed {
    /// Adds a contact. [`Intention::with_row_key`] sets the key of the new row.
    AddContact {
        list_key: String,
        values: FieldTexts,
    },
    /// Sets fields to new values. `None` clears a field. Also changes a number.
    EditContact {
        key: String,
        changes: Vec<(String, Option<String>)>,
    },
    MoveContact {
        key: String,
        list_key: String,
    },
    DeleteContact {
        key: String,
    },
    RestoreContact {
        key: String,
    },
    AddList {
        name: String,
    },
    RenameList {
        key: String,
        name: String,
    },
    DeleteList {
        key: String,
    },
    RestoreList {
        key: String,
    },
    AddOptOut {
        number: String,
        channel: String,
        asset: Option<String>,
    },
    /// A confirmed removal. Set `all_scopes` if the engine told the person that every record of the number on the
    /// channel is removed.
    RemoveOptOut {
        key: String,
        number: String,
        channel: String,
        asset: Option<String>,
        reason: String,
        all_scopes: bool,
    },
    CancelRemoval {
        key: String,
        number: String,
        channel: String,
        asset: Option<String>,
    },
    AddLink {
        title: String,
        target_url: String,
        tags: Vec<String>,
    },
    DeleteLink {
        key: String,
    },
    /// Restores a link. It cannot get its old address back, so the engine creates a new one.
    RestoreLink {
        key: String,
    },
    DeleteSender {
        key: String,
    },
    /// Report this only if the engine accepted that the sender stays.
    RestoreSender {
        key: String,
    },
    /// Imports rows. The intention needs one row key for each row, in order. A row that was merged into an existing row
    /// has the key of that row. A refused row has the key "".
    ImportRows {
        list_key: String,
        rows: Vec<ImportRow>,
    },
    Undo,
    Redo,
    Discard,
    Pause,
    Resume,
    CancelRun,
    /// Chooses one of the choices that the question offers. The index wraps around.
    AnswerQuestion {
        question: usize,
        choice: u16,
        subjects: Vec<String>,
    },
}

/// One intention of the person. The adapter performs it on the engine and, if the
/// engine accepted it, passes it to [`crate::World::record_deed`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intention {
    pub deed: PersonDeed,
    /// Keys of the rows created, in order.
    pub row_keys: Vec<String>,
    /// The kind of act from which it was resolved.
    pub(crate) kind: Option<PersonActKind>,
    /// The keys and UIDs of the rows that were shown when the intention was resolved.
    pub(crate) known: Vec<(String, String)>,
}

impl Intention {
    /// Prefer [`crate::World::resolve_act`]: it also remembers the UIDs of the rows.
    pub fn new(deed: PersonDeed) -> Intention {
        Intention { deed, row_keys: Vec::new(), kind: None, known: Vec::new() }
    }

    /// Links the intention to a row that it created.
    #[must_use]
    pub fn with_row_key(mut self, key: impl Into<String>) -> Intention {
        self.row_keys.push(key.into());
        self
    }
}
