//! How the command line finds a running daemon: a file of the data directory. Its first line is
//! the API's address; the second is the token, if one is set. Only the file's owner can read it.
//!
//! The daemon keeps the file locked while it lives (`flock` on Unix). The system releases the
//! lock however the daemon ends. So a reader can detect a killed daemon's file without asking
//! whoever listens at its address now, who may be the daemon of another directory.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use super::Token;

/// The file's name in the data directory.
pub const FILE_NAME: &str = "http.address";

/// The most bytes read of the file. Judgement: an address has at most 65 with its line end, a
/// token some 70.
const MAX_LEN: u64 = 4096;

/// How to reach a daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Its API's address.
    pub address: SocketAddr,
    /// The token that its requests must carry.
    pub token: Option<Token>,
}

/// A published address. Dropping it removes the file. Drop it before the database, since the
/// database's next owner publishes its own.
#[derive(Debug)]
pub struct Published {
    path: PathBuf,
    /// Kept open for its lock.
    _file: File,
}

/// Publishes an address in a data directory. The caller owns the directory's database. An
/// unspecified address (`0.0.0.0`, `::`) is published as the loopback address, which reaches it.
///
/// # Errors
///
/// The file system's errors, or that another living daemon has published its address here.
pub fn publish(dir: &Path, address: SocketAddr, token: Option<&Token>) -> io::Result<Published> {
    if read(dir)?.is_some() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "another daemon has published its address there"));
    }
    let path = dir.join(FILE_NAME);
    let fresh = dir.join(format!("{FILE_NAME}.new"));
    let mut file = private_file(&fresh)?;
    // Lock before renaming, so that no reader finds the file unlocked.
    file.try_lock().map_err(io::Error::from)?;
    writeln!(file, "{}", reachable(address))?;
    if let Some(token) = token {
        writeln!(file, "{}", token.as_str())?;
    }
    std::fs::rename(&fresh, &path)?;
    Ok(Published { path, _file: file })
}

/// The address that a living daemon has published in a data directory. `None` if there is none.
///
/// # Errors
///
/// The file system's errors; [`io::ErrorKind::InvalidData`] if the file has no address.
pub fn read(dir: &Path) -> io::Result<Option<Reach>> {
    let file = match File::open(dir.join(FILE_NAME)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    match file.try_lock_shared() {
        Ok(()) => return Ok(None),
        Err(TryLockError::WouldBlock) => {}
        // If this system has no locks, trust the file.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let mut text = String::new();
    file.take(MAX_LEN).read_to_string(&mut text)?;
    let (address, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let invalid = |_| io::Error::new(io::ErrorKind::InvalidData, format!("{FILE_NAME} holds {address:?}, no address"));
    Ok(Some(Reach { address: address.trim_end().parse().map_err(invalid)?, token: Token::new(rest.trim_end()) }))
}

/// A new file that only its owner can read.
fn private_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl Drop for Published {
    fn drop(&mut self) {
        // If it cannot be removed, it stays unlocked, which means the same.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_there_while_its_owner_lives() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(dir.path()).unwrap(), None);
        for (address, expect) in [
            ("127.0.0.1:7717", "127.0.0.1:7717"),
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("192.0.2.1:1", "192.0.2.1:1"),
        ] {
            let published = publish(dir.path(), address.parse().unwrap(), None).unwrap();
            let reach = |token| Reach { address: expect.parse().unwrap(), token };
            assert_eq!(read(dir.path()).unwrap(), Some(reach(None)), "{address}");
            assert_eq!(std::fs::read_to_string(dir.path().join(FILE_NAME)).unwrap(), format!("{expect}\n"));
            let second = publish(dir.path(), address.parse().unwrap(), None).unwrap_err();
            assert_eq!(second.kind(), io::ErrorKind::AlreadyExists);
            drop(published);
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "{address}");
            let token = Token::new("0123456789abcdef");
            let published = publish(dir.path(), address.parse().unwrap(), token.as_ref()).unwrap();
            assert_eq!(read(dir.path()).unwrap(), Some(reach(token)));
            #[cfg(unix)]
            assert_eq!(std::os::unix::fs::MetadataExt::mode(&published.path.metadata().unwrap()) & 0o777, 0o600);
            drop(published);
        }
    }

    #[test]
    fn a_file_that_a_killed_daemon_left_counts_for_nothing_and_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE_NAME), "127.0.0.1:1\n").unwrap();
        assert_eq!(read(dir.path()).unwrap(), None);
        let _published = publish(dir.path(), "127.0.0.1:2".parse().unwrap(), None).unwrap();
        let address = "127.0.0.1:2".parse().unwrap();
        assert_eq!(read(dir.path()).unwrap(), Some(Reach { address, token: None }));
    }

    #[test]
    fn a_locked_file_without_an_address_is_an_error_that_shows_it() {
        let dir = tempfile::tempdir().unwrap();
        let mut file = File::create(dir.path().join(FILE_NAME)).unwrap();
        file.lock().unwrap();
        file.write_all(b"somewhere\n").unwrap();
        let error = read(dir.path()).unwrap_err();
        assert!(error.kind() == io::ErrorKind::InvalidData && error.to_string().contains("somewhere"), "{error}");
    }
}
