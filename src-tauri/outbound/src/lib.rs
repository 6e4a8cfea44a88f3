//! The only HTTP client of this process. It checks where a call goes before it is made.

mod address;
mod callback_client;
mod client_pool;
mod failure;
mod service_client;
mod pins;

pub use address::{AddressPolicy, AddressRange, classify_address};
pub use callback_client::{ANSWER_MAX, CallbackResponse, PostResult, CallbackClient, PostRequest, TIME_OUT, USER_AGENT};
pub use failure::CallFailure;
pub use service_client::{ResponseBody, KeyHeader, ServiceClient, NoCertificateFound, InvalidHeader, ServiceResponse, ServiceRequest};
pub use pins::localhost_label;
