//! Finds the processes that listen at a port, from /proc (Linux only).

use std::{
    collections::BTreeSet,
    fs,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    path::Path,
};

use serde::Serialize;

/// The state of a listening socket in /proc/net/tcp.
const LISTEN_STATE: &str = "0A";

/// A socket that listens at the port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct PortHolder {
    pub address: IpAddr,
    /// None if the socket belongs to another user, whose processes cannot be read.
    pub pid: Option<u32>,
    pub name: Option<String>,
    #[serde(skip)]
    inode: u64,
}

/// Returns None if the system does not provide this information.
pub(super) fn find_port_holders(port: u16) -> Option<Vec<PortHolder>> {
    let tables: Vec<String> =
        ["/proc/net/tcp", "/proc/net/tcp6"].iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
    if tables.is_empty() {
        return None;
    }
    let mut found: Vec<PortHolder> =
        tables.iter().flat_map(|table| table.lines()).filter_map(|line| parse_socket_line(line, port)).collect();
    if !found.is_empty() {
        find_processes(&mut found);
    }
    Some(found)
}

/// Parses a line `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`.
fn parse_socket_line(line: &str, port: u16) -> Option<PortHolder> {
    let mut columns = line.split_ascii_whitespace();
    let (address, at) = columns.nth(1)?.split_once(':')?;
    let state = columns.nth(1)?;
    let inode = columns.nth(5)?.parse().ok()?;
    let is_it = state == LISTEN_STATE && u16::from_str_radix(at, 16) == Ok(port);
    is_it.then_some(PortHolder { address: parse_address(address)?, pid: None, name: None, inode })
}

/// Parses words of 32 bits, each in the byte order of this machine.
fn parse_address(hex: &str) -> Option<IpAddr> {
    let words: Option<Vec<[u8; 4]>> = (0..hex.len())
        .step_by(8)
        .map(|at| Some(u32::from_str_radix(hex.get(at..at + 8)?, 16).ok()?.to_ne_bytes()))
        .collect();
    let bytes = words?.concat();
    if let Ok(four) = <[u8; 4]>::try_from(bytes.as_slice()) {
        return Some(Ipv4Addr::from(four).into());
    }
    <[u8; 16]>::try_from(bytes.as_slice()).ok().map(|sixteen| Ipv6Addr::from(sixteen).into())
}

/// Finds the process of each socket among the readable processes.
fn find_processes(holders: &mut [PortHolder]) {
    let mut wanted: BTreeSet<u64> = holders.iter().map(|holder| holder.inode).collect();
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = process.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        for inode in socket_inodes(&process.path()).filter(|inode| wanted.contains(inode)).collect::<Vec<_>>() {
            let name = fs::read_to_string(process.path().join("comm")).ok().map(|name| name.trim().to_owned());
            for holder in holders.iter_mut().filter(|holder| holder.inode == inode) {
                (holder.pid, holder.name) = (Some(pid), name.clone());
            }
            wanted.remove(&inode);
        }
        if wanted.is_empty() {
            return;
        }
    }
}

fn socket_inodes(process: &Path) -> impl Iterator<Item = u64> {
    fs::read_dir(process.join("fd")).into_iter().flatten().flatten().filter_map(|fd| {
        let target = fs::read_link(fd.path()).ok()?;
        target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_process_that_listens_at_the_port_is_named() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            0: 0100007F:0FAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0 100 0 0 10 0\n\
            1: 0100007F:0FAA 0100007F:8A1C 01 00000000:00000000 00:00000000 00000000  1000        0 4243 1 0 20 4 30 10 -1\n\
            2: 00000000000000000000000001000000:0FAA 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 1000 0 4244 1\n\
            3: 0100007F:0FAB 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4245 1 0 100 0 0 10 0\n\
            nonsense\n";
        let found: Vec<PortHolder> = table.lines().filter_map(|line| parse_socket_line(line, 4010)).collect();
        assert_eq!(found.iter().map(|holder| holder.inode).collect::<Vec<_>>(), [4242, 4244]);
        if cfg!(target_endian = "little") {
            let addresses: Vec<String> = found.iter().map(|holder| holder.address.to_string()).collect();
            assert_eq!(addresses, ["127.0.0.1", "::1"]);
        }
    }
}
