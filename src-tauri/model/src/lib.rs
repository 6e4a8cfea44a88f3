//! The nouns, rules and validation of a messaging account, without I/O and without a clock.

pub mod asset;
pub mod channel;
pub mod contact;
pub mod custom_field;
pub mod error;
pub mod id;
pub mod job;
pub mod list;
pub mod opt_out;
pub mod phone;
pub mod sender;
pub mod short_link;
pub mod time;
pub mod view;

pub use view::{filter, intervals, page, pattern, readiness};

/// Gives the variants of a plain enum the names by which they are stored and sent: `ALL` in the order of this table,
/// `as_str`, and `parse`, which knows no other spelling.
#[macro_export]
macro_rules! variant_names {
    ($vis:vis $name:ident { $($variant:ident = $text:literal),+ $(,)? }) => {
        #[allow(dead_code, reason = "an enum of one crate may need only a part of this")]
        impl $name {
            $vis const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            $vis fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            $vis fn parse(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}
