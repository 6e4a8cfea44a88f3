//! One binary of integration tests.
