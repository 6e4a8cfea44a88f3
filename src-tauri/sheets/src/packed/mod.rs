//! Unpacks files. The size of the output is bounded, however small the file is.

pub(crate) mod archive;
pub(crate) mod expansion;
pub(crate) mod unsupported;

use std::io::{self, BufRead, BufReader, Read, Seek};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use crate::{
    error::{SheetError, SheetErrorKind},
    limits::ReadLimits,
};

/// A source of bytes that can be read from any position.
pub trait SeekableInput: Read + Seek + Send {}

impl<T: Read + Seek + Send> SeekableInput for T {}

/// A file, or something that takes its place.
pub type FileSource = Box<dyn SeekableInput>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Zip,
    Gzip,
    Zstd,
}

impl Packing {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Zip => "zip",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

/// Determines from the first bytes how a file is packed.
pub(crate) fn detect_packing(start: &[u8]) -> Result<Option<Packing>, SheetError> {
    let refused = |name: &str| Err(SheetError::for_file(SheetErrorKind::UnknownPacking(name.to_owned())));
    match start {
        [0x50, 0x4b, 3, 4, ..] | [0x50, 0x4b, 5, 6, ..] => Ok(Some(Packing::Zip)),
        [0x1f, 0x8b, ..] => Ok(Some(Packing::Gzip)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Ok(Some(Packing::Zstd)),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => Err(SheetError::for_file(SheetErrorKind::OldWorkbook)),
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, ..] => refused("bzip2"),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => refused("xz"),
        [b'7', b'z', 0xbc, 0xaf, ..] => refused("7z"),
        [b'R', b'a', b'r', b'!', ..] => refused("RAR"),
        // In a Parquet file, the first page of a column follows.
        [b'P', b'A', b'R', b'1', 0x15, ..] => Err(SheetError::for_file(SheetErrorKind::ColumnarFile("a Parquet file"))),
        [b'A', b'R', b'R', b'O', b'W', b'1', 0, 0, ..] => {
            Err(SheetError::for_file(SheetErrorKind::ColumnarFile("an Arrow file")))
        }
        _ => Ok(None),
    }
}

/// Counts the output and ends it at a limit.
pub(crate) struct BoundedReader<R> {
    inner: R,
    out: u64,
    most: u64,
    /// Whether the ratio, not the absolute size, is the limit.
    is_ratio: bool,
    limits: ReadLimits,
}

impl<R: Read> BoundedReader<R> {
    /// Limits the output. `size` is that of the packed bytes.
    pub(crate) fn new(inner: R, size: u64, limits: &ReadLimits) -> Self {
        let by_ratio = size.saturating_mul(limits.unpacked_ratio).max(limits.unpacked_free);
        let most = by_ratio.min(limits.unpacked_bytes);
        Self { inner, out: 0, most, is_ratio: by_ratio < limits.unpacked_bytes, limits: *limits }
    }
}

impl<R: Read> Read for BoundedReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buf)?;
        self.out += read as u64;
        if self.out <= self.most {
            return Ok(read);
        }
        Err(if self.is_ratio {
            SheetErrorKind::UnpacksTooMuch(self.limits.unpacked_ratio)
        } else {
            SheetErrorKind::UnpacksTooLarge(self.limits.unpacked_bytes)
        }
        .into_io_error())
    }
}

/// The unpacked bytes.
pub(crate) type UnpackedReader = BoundedReader<Box<dyn Read + Send>>;

pub(crate) fn unpack(
    source: FileSource,
    packing: Packing,
    size: u64,
    limits: &ReadLimits,
) -> Result<UnpackedReader, SheetError> {
    let source = BufReader::new(source);
    let inner: Box<dyn Read + Send> = match packing {
        Packing::Gzip => Box::new(MultiGzDecoder::new(source)),
        Packing::Zstd => Box::new(ZstdReader { frame: ZstdFrame::Between(source) }),
        Packing::Zip => return Err(SheetError::for_file(SheetErrorKind::UnknownPacking("zip".to_owned()))),
    };
    Ok(BoundedReader::new(inner, size, limits))
}

/// Reads several frames in a row, as programs write them that pack on several cores.
struct ZstdReader<R: BufRead> {
    frame: ZstdFrame<R>,
}

enum ZstdFrame<R: BufRead> {
    Between(R),
    In(Box<StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>),
    Ended,
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(&mut self.frame, ZstdFrame::Ended) {
                ZstdFrame::Between(mut source) => {
                    if !source.fill_buf()?.is_empty() {
                        let decoder = StreamingDecoder::new(source).map_err(to_io_error)?;
                        self.frame = ZstdFrame::In(Box::new(decoder));
                    }
                }
                ZstdFrame::In(mut decoder) => {
                    let read = decoder.read(buf).map_err(to_io_error)?;
                    if read > 0 || buf.is_empty() {
                        self.frame = ZstdFrame::In(decoder);
                        return Ok(read);
                    }
                    self.frame = ZstdFrame::Between(decoder.into_inner());
                }
                ZstdFrame::Ended => return Ok(0),
            }
        }
    }
}

fn to_io_error(why: impl std::fmt::Display) -> io::Error {
    SheetErrorKind::Damaged(why.to_string()).into_io_error()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::default());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    fn all(packed: Vec<u8>, packing: Packing, limits: &ReadLimits) -> Result<Vec<u8>, SheetErrorKind> {
        let size = packed.len() as u64;
        let mut out = Vec::new();
        let mut unpacked = unpack(Box::new(io::Cursor::new(packed)), packing, size, limits).map_err(|f| f.kind)?;
        unpacked.read_to_end(&mut out).map_err(SheetErrorKind::from)?;
        Ok(out)
    }

    #[test]
    fn several_parts_of_a_gzip_file_are_one_text() {
        let packed = [gzip(b"a,b\n"), gzip(b"1,2\n")].concat();
        assert_eq!(detect_packing(&packed).unwrap(), Some(Packing::Gzip));
        assert_eq!(all(packed, Packing::Gzip, &ReadLimits::STANDARD).unwrap(), b"a,b\n1,2\n");
    }

    #[test]
    fn several_frames_of_a_zstd_file_are_one_text() {
        let frame = |text: &[u8]| ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest);
        let packed = [frame(b"a,b\n"), frame(b"1,2\n")].concat();
        assert_eq!(detect_packing(&packed).unwrap(), Some(Packing::Zstd));
        assert_eq!(all(packed.clone(), Packing::Zstd, &ReadLimits::STANDARD).unwrap(), b"a,b\n1,2\n");
        let cut = packed[..packed.len() - 3].to_vec();
        assert!(matches!(all(cut, Packing::Zstd, &ReadLimits::STANDARD), Err(SheetErrorKind::Damaged(_))));
    }

    #[test]
    fn truncated_and_swelling_data_is_reported() {
        let mut packed = gzip(&[b'x'; 100_000]);
        let small = ReadLimits { unpacked_free: 1_000, unpacked_ratio: 10, ..ReadLimits::STANDARD };
        assert!(matches!(all(packed.clone(), Packing::Gzip, &small), Err(SheetErrorKind::UnpacksTooMuch(10))));
        let small = ReadLimits { unpacked_bytes: 5_000, ..ReadLimits::STANDARD };
        assert!(matches!(all(packed.clone(), Packing::Gzip, &small), Err(SheetErrorKind::UnpacksTooLarge(5_000))));
        packed.truncate(packed.len() - 9);
        assert!(matches!(all(packed, Packing::Gzip, &ReadLimits::STANDARD), Err(SheetErrorKind::Damaged(_))));
    }
}
