//! Whole accounts: copied, as images, replaced, compared.

mod copies;
mod replaced;
