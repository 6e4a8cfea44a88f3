//! The named kinds of acts and faults. The names are used in scripts.

macro_rules! named_kinds {
    ($(#[$doc:meta])* $name:ident, $(#[$alldoc:meta])* $all:ident
     { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        $(#[$alldoc])*
        pub const $all: &[&str] = &[$($text),+];

        impl $name {
            /// Every kind, in the order of the names.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The name used in scripts.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }

            /// Finds a kind by its name.
            pub fn from_name(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)+ _ => None }
            }
        }
    };
}

named_kinds! {
    /// The kinds of the person's acts.
    PersonActKind,
    /// The names of all acts of the person.
    PERSON_ACT_KINDS {
        AddContact = "add-contact",
        EditContact = "edit-contact",
        ClearField = "clear-field",
        ChangeNumber = "change-number",
        MoveContact = "move-contact",
        DeleteContact = "delete-contact",
        RestoreContact = "restore-contact",
        AddList = "add-list",
        RenameList = "rename-list",
        DeleteList = "delete-list",
        RestoreList = "restore-list",
        AddOptOut = "add-opt-out",
        RemoveOptOut = "remove-opt-out",
        CancelRemoval = "cancel-removal",
        AddLink = "add-link",
        DeleteLink = "delete-link",
        RestoreLink = "restore-link",
        DeleteSender = "delete-sender",
        RestoreSender = "restore-sender",
        ImportRows = "import-rows",
        Undo = "undo",
        Redo = "redo",
        Discard = "discard",
        Pause = "pause",
        Resume = "resume",
        CancelRun = "cancel-run",
        AnswerQuestion = "answer-question",
    }
}

named_kinds! {
    /// The kinds of acts of other writers at the service.
    WriterActKind,
    /// The names of all acts of other writers.
    WRITER_ACT_KINDS {
        AddContact = "add-contact",
        AddTwin = "add-twin",
        EditContact = "edit-contact",
        DeleteContact = "delete-contact",
        AddList = "add-list",
        RenameList = "rename-list",
        DeleteList = "delete-list",
        /// From now on, another account answers: it has none of the lists, but one of its own.
        OtherAccount = "other-account",
        /// A customer answers STOP to an inbound number (asset level).
        Stop = "stop",
        /// A customer opts out in a web form (account level).
        WebStop = "web-stop",
        /// A colleague imports an opt-out in the web application.
        ImportStop = "import-stop",
        UnknownKindStop = "unknown-kind-stop",
        UnknownChannelStop = "unknown-channel-stop",
        UnknownScopeStop = "unknown-scope-stop",
        /// A record without a number.
        NamelessStop = "nameless-stop",
        RemoveOptOut = "remove-opt-out",
        /// A colleague corrects a wrong number. One record is removed and another is created, so their count stays the
        /// same.
        CorrectStop = "correct-stop",
        AddLink = "add-link",
        DeleteLink = "delete-link",
        AddSender = "add-sender",
        DeleteSender = "delete-sender",
    }
}

named_kinds! {
    /// The faults of a single request.
    Fault,
    /// The names of all faults.
    FAULTS {
        /// The request takes effect, but the answer is lost.
        LostAfter = "lost-after",
        /// The request is lost without effect. The caller sees no answer.
        LostBefore = "lost-before",
        /// There is no connection, so the request is never sent.
        NotConnected = "not-connected",
        /// The request is delivered twice in succession.
        DeliveredTwice = "delivered-twice",
        Status503Before = "503-before",
        Status503After = "503-after",
        Status500Before = "500-before",
        Status500After = "500-after",
        Status429 = "429",
        /// Status 200 with an HTML page, without effect.
        LoginPage = "login-page",
        /// From this request to the end of the run, every deletion gets a login page. Other requests work, so a run
        /// can end.
        LoginPageForDeletions = "login-page-for-deletions",
        /// An unfiltered read returns no rows.
        EmptyRead = "empty-read",
        /// An unfiltered read omits some of its rows.
        TruncatedRead = "truncated-read",
        /// A page after the first begins one row too late.
        DriftingPage = "drifting-page",
    }
}

impl Fault {
    /// Returns whether the answer may lack rows although it looks complete.
    pub(crate) fn hides_rows(self) -> bool {
        matches!(self, Fault::EmptyRead | Fault::TruncatedRead | Fault::DriftingPage)
    }

    /// Returns whether the request reaches the service and takes effect.
    pub(crate) fn has_effect(self) -> bool {
        matches!(
            self,
            Fault::LostAfter
                | Fault::DeliveredTwice
                | Fault::Status503After
                | Fault::Status500After
                | Fault::EmptyRead
                | Fault::TruncatedRead
                | Fault::DriftingPage
        )
    }

    /// Returns whether the caller receives the answer of the service.
    pub(crate) fn delivers_answer(self) -> bool {
        matches!(self, Fault::DeliveredTwice | Fault::EmptyRead | Fault::TruncatedRead | Fault::DriftingPage)
    }
}
