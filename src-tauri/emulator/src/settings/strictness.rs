//! What happens to requests that the service may refuse, although the emulator could answer them.

/// The names of these settings begin so.
pub(super) const BEGIN: &str = "strict.";
pub(super) const BODY_FIELDS: &str = "strict.body_fields";
pub(super) const PARAMETERS: &str = "strict.parameters";
pub(super) const CONTENT_TYPE: &str = "strict.content_type";
pub(super) const DEPRECATED_FORMS: &str = "strict.deprecated_forms";

pub(super) const VALUES: &str = "ignore, warn, refuse";
pub(super) const REACTIONS: [(&str, Reaction); 3] =
    [("ignore", Reaction::Ignore), ("warn", Reaction::Warn), ("refuse", Reaction::Refuse)];

/// How the emulator reacts to such a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reaction {
    #[default]
    Ignore,
    /// Answers as usual, with a header that names the reason.
    Warn,
    /// Refuses the request as the service would.
    Refuse,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Strictness {
    pub body_fields: Reaction,
    pub parameters: Reaction,
    pub content_type: Reaction,
    pub deprecated_forms: Reaction,
}

impl Strictness {
    /// All of them, as `--strict` sets them.
    pub const NAMES: [&'static str; 4] = [BODY_FIELDS, PARAMETERS, CONTENT_TYPE, DEPRECATED_FORMS];

    /// Whether every request is answered as usual.
    pub fn ignores_all(self) -> bool {
        self == Self::default()
    }

    pub(super) fn reaction_mut(&mut self, name: &str) -> Option<&mut Reaction> {
        Some(match name {
            BODY_FIELDS => &mut self.body_fields,
            PARAMETERS => &mut self.parameters,
            CONTENT_TYPE => &mut self.content_type,
            DEPRECATED_FORMS => &mut self.deprecated_forms,
            _ => return None,
        })
    }
}
