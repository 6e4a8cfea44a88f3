//! A child process that is ended when its owner is dropped.

use std::process::Child;

pub(crate) struct EndedProcess(pub Child);

impl Drop for EndedProcess {
    fn drop(&mut self) {
        // The child may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
