//! Which test proves what: decisions by their number, failure rows of the interface by their name.

/// A test and what it proves.
#[derive(Debug, Clone, Copy)]
pub struct Proof {
    pub test: &'static str,
    pub of: &'static [&'static str],
}

/// Makes each named function of the module a test, and writes down what it proves.
///
/// A function that is named nowhere is dead code, and a name without a function does not compile,
/// so the list holds exactly the tests there are.
#[macro_export]
macro_rules! proofs {
    ($([$($of:ident),* $(,)?] $test:ident;)*) => {
        pub const PROOFS: &[$crate::proof::Proof] = &[$($crate::proof::Proof {
            test: concat!(module_path!(), "::", stringify!($test)),
            of: &[$(stringify!($of)),*],
        }),*];

        mod tests {
            $(#[test]
            fn $test() {
                super::$test();
            })*
        }
    };
}
