//! A Unix socket, for callers of this machine and of this user only.

use std::{
    fs, io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    os::unix::{
        fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _},
        net::{SocketAddr as Address, UnixStream as Knock},
    },
    path::{Path, PathBuf},
};

use tokio::net::{UnixListener, UnixStream};

use super::{StartError, doors::Door};

/// The address that callers of the socket appear to have.
const LOCAL_PEER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// A listening Unix socket. Dropping it removes the file.
pub(super) struct Socket {
    listener: UnixListener,
    _file: SocketFile,
}

/// A socket file that this process created.
struct SocketFile {
    path: PathBuf,
    /// Device and inode number of the file.
    known: (u64, u64),
}

impl Socket {
    /// Creates the socket and listens on it. A socket file that nobody listens on is replaced.
    pub(super) fn listen(path: &Path) -> Result<Self, StartError> {
        let cannot = |source| StartError::Socket { path: path.to_owned(), source };
        // A path that is too long could be created, but nobody could connect to it.
        Address::from_pathname(path).map_err(cannot)?;
        match fs::symlink_metadata(path) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => {}
            Err(why) => return Err(cannot(why)),
            Ok(about) if !about.file_type().is_socket() => return Err(StartError::NotASocket(path.to_owned())),
            Ok(_) => match Knock::connect(path) {
                // A program that no longer runs has left the file behind.
                Err(why) if why.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path).map_err(cannot)?,
                Ok(_) => return Err(StartError::SocketTaken(path.to_owned())),
                Err(why) => return Err(cannot(why)),
            },
        }
        // The socket is created in a private folder, so that its permissions are set before it gets its name.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
        let aside = tempfile::Builder::new().prefix(".").rand_bytes(4).tempdir_in(folder);
        // The error names the private folder.
        let aside = aside.map_err(|why| {
            cannot(match why.kind() {
                io::ErrorKind::NotFound => {
                    io::Error::new(why.kind(), format!("the folder {} does not exist", folder.display()))
                }
                kind => kind.into(),
            })
        })?;
        let socket = aside.path().join("s");
        let listener = UnixListener::bind(&socket).map_err(cannot)?;
        fs::set_permissions(&socket, fs::Permissions::from_mode(0o600)).map_err(cannot)?;
        let about = fs::symlink_metadata(&socket).map_err(cannot)?;
        fs::hard_link(&socket, path).map_err(|why| match why.kind() {
            io::ErrorKind::AlreadyExists => StartError::SocketTaken(path.to_owned()),
            _ => cannot(why),
        })?;
        let file = SocketFile { path: path.to_owned(), known: (about.dev(), about.ino()) };
        Ok(Self { listener, _file: file })
    }
}

impl Door for Socket {
    type Stream = UnixStream;

    async fn next_connection(&self) -> io::Result<(UnixStream, SocketAddr)> {
        let (stream, _) = self.listener.accept().await?;
        Ok((stream, LOCAL_PEER))
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Another server may have put its own socket there meanwhile.
        let is_ours = fs::symlink_metadata(&self.path).is_ok_and(|about| (about.dev(), about.ino()) == self.known);
        if is_ours {
            let _ = fs::remove_file(&self.path);
        }
    }
}
