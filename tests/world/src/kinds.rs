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
    /// What the person does.
    PersonActKind,
    /// The names of everything the person does.
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
    /// What another writer does at the service.
    WriterActKind,
    /// The names of everything another writer does.
    WRITER_ACT_KINDS {
        AddContact = "add-contact",
        AddTwin = "add-twin",
        EditContact = "edit-contact",
        DeleteContact = "delete-contact",
        AddList = "add-list",
        RenameList = "rename-list",
        DeleteList = "delete-list",
        /// A customer answers STOP to an inbound number (asset level).
        Stop = "stop",
        /// A customer opts out in a web form (account level).
        WebStop = "web-stop",
        /// A colleague imports an opt-out in the web application.
        ImportStop = "import-stop",
        UnknownKindStop = "unknown-kind-stop",
        UnknownChannelStop = "unknown-channel-stop",
        UnknownScopeStop = "unknown-scope-stop",
        /// A record that does not name its number.
        NamelessStop = "nameless-stop",
        RemoveOptOut = "remove-opt-out",
        /// A colleague notices a wrong number: one record goes and another comes, so that there are as many as before.
        CorrectStop = "correct-stop",
        AddLink = "add-link",
        DeleteLink = "delete-link",
        AddSender = "add-sender",
        DeleteSender = "delete-sender",
    }
}

named_kinds! {
    /// What goes wrong with one request.
    Fault,
    /// The names of all faults.
    FAULTS {
        /// The request takes effect, the answer is lost.
        LostAfter = "lost-after",
        /// The request is lost, without effect; the caller sees no answer.
        LostBefore = "lost-before",
        /// No connection: the request never leaves.
        NotConnected = "not-connected",
        /// The request is delivered twice, one directly after the other.
        DeliveredTwice = "delivered-twice",
        Status503Before = "503-before",
        Status503After = "503-after",
        Status500Before = "500-before",
        Status500After = "500-after",
        Status429 = "429",
        /// 200 with a page of HTML, without effect.
        LoginPage = "login-page",
        /// An unfiltered read answers with nothing.
        EmptyRead = "empty-read",
        /// An unfiltered read answers without some of its rows.
        TruncatedRead = "truncated-read",
        /// A page behind the first begins one row too late.
        DriftingPage = "drifting-page",
    }
}

impl Fault {
    /// Whether the request reaches the service and takes effect.
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

    /// Whether the caller receives the answer that the service gave.
    pub(crate) fn delivers_answer(self) -> bool {
        matches!(self, Fault::DeliveredTwice | Fault::EmptyRead | Fault::TruncatedRead | Fault::DriftingPage)
    }
}
