//! Where the command line finds a running daemon: a file of the data directory with the API's address in one line.
//!
//! The daemon keeps the file locked while it lives (`flock` on Unix), and the system lets go of the lock however the daemon ends. So a file that
//! a killed daemon left is told from a good one without asking whoever listens at its address now, who may be the daemon of another directory.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

/// The file's name in the data directory.
pub const FILE_NAME: &str = "http.address";

/// The longest that is read of the file, in bytes. An address has at most 65 with its line end.
const MAX_LEN: u64 = 128;

/// A published address. Dropping it takes the file away: drop it before the database, whose next owner publishes its own.
#[derive(Debug)]
pub struct Published {
    path: PathBuf,
    /// Open for its lock.
    _file: File,
}

/// Publishes an address in a data directory. The caller owns the directory's database. An unspecified address (`0.0.0.0`, `::`) is published as
/// the loopback address, at which it is reached.
///
/// # Errors
///
/// The file system's, or that another daemon has published its address here and lives.
pub fn publish(dir: &Path, address: SocketAddr) -> io::Result<Published> {
    if read(dir)?.is_some() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "another daemon has published its address there"));
    }
    let path = dir.join(FILE_NAME);
    let fresh = dir.join(format!("{FILE_NAME}.new"));
    let mut file = File::create(&fresh)?;
    // Before it has its name, so that no reader finds it unlocked.
    file.try_lock().map_err(io::Error::from)?;
    writeln!(file, "{}", reachable(address))?;
    std::fs::rename(&fresh, &path)?;
    Ok(Published { path, _file: file })
}

/// The address that a living daemon has published in a data directory. `None` if there is none.
///
/// # Errors
///
/// The file system's; [`io::ErrorKind::InvalidData`] if the file holds no address.
pub fn read(dir: &Path) -> io::Result<Option<SocketAddr>> {
    let file = match File::open(dir.join(FILE_NAME)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    match file.try_lock_shared() {
        Ok(()) => return Ok(None),
        Err(TryLockError::WouldBlock) => {}
        // Without locks on this system, the file is taken at its word.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let mut text = String::new();
    file.take(MAX_LEN).read_to_string(&mut text)?;
    let invalid = |_| io::Error::new(io::ErrorKind::InvalidData, format!("{FILE_NAME} holds {text:?}, no address"));
    text.trim_end().parse().map(Some).map_err(invalid)
}

impl Drop for Published {
    fn drop(&mut self) {
        // If it cannot be removed, it is left unlocked, which says the same.
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
            let published = publish(dir.path(), address.parse().unwrap()).unwrap();
            assert_eq!(read(dir.path()).unwrap(), Some(expect.parse().unwrap()), "{address}");
            assert_eq!(std::fs::read_to_string(dir.path().join(FILE_NAME)).unwrap(), format!("{expect}\n"));
            let second = publish(dir.path(), address.parse().unwrap()).unwrap_err();
            assert_eq!(second.kind(), io::ErrorKind::AlreadyExists);
            drop(published);
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "{address}");
        }
    }

    #[test]
    fn a_file_that_a_killed_daemon_left_counts_for_nothing_and_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE_NAME), "127.0.0.1:1\n").unwrap();
        assert_eq!(read(dir.path()).unwrap(), None);
        let _published = publish(dir.path(), "127.0.0.1:2".parse().unwrap()).unwrap();
        assert_eq!(read(dir.path()).unwrap(), Some("127.0.0.1:2".parse().unwrap()));
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
