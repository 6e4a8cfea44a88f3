//! Tests whole accounts: copies, images, replacement and comparison.

mod copies;
mod erasing;
mod replaced;
