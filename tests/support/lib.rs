//! Harness shared by the tests.
