//! Writes texts into a zip file.

use std::io::{self, Seek, Write};

use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// Writes files, given by name and content, into a zip file. They carry no date.
pub fn write_archive<W: Write + Seek>(out: W, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    let mut zip = ZipWriter::new(out);
    for (name, content) in files {
        zip.start_file(name.as_str(), SimpleFileOptions::default().compression_method(CompressionMethod::Deflated))?;
        zip.write_all(content)?;
    }
    zip.finish()?.flush()
}
