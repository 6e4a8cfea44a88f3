//! The only HTTP client of this process. It checks where a call goes before it is made.

mod address;
mod callback_client;
mod client_pool;
mod failure;
mod pins;
mod service_client;

pub use address::{AddressPolicy, AddressRange, classify_address};
pub use callback_client::{
    ANSWER_MAX, CallbackClient, CallbackResponse, PostRequest, PostResult, TIME_OUT, USER_AGENT,
};
pub use failure::CallFailure;
pub use pins::localhost_label;
pub use service_client::{
    InvalidHeader, KeyHeader, NoCertificateFound, ResponseBody, ServiceClient, ServiceRequest, ServiceResponse,
};
