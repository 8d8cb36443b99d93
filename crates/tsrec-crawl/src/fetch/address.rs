//! Which IP addresses the crawler may connect to: globally reachable unicast ones.
//!
//! The tables follow the IANA special-purpose address registries (RFC 6890, as updated by RFC
//! 8190): <https://www.iana.org/assignments/iana-ipv4-special-registry> and
//! <https://www.iana.org/assignments/iana-ipv6-special-registry>.
//!
//! These tables are stricter than the registries on purpose:
//! - 192.0.0.0/24 and 2001::/23 are refused whole. A few anycast addresses in them (port control,
//!   TURN, ORCHIDv2, drone identifiers) are globally reachable, but none of them serves web pages.
//! - IPv6 is allowed by list, not refused by list. Only 2000::/3 is given out as global unicast
//!   (RFC 4291, section 2.4, and the IANA IPv6 address space registry). A block defined later is
//!   refused until this file knows it.
//!
//! An IPv6 address that carries an IPv4 address is judged by the IPv4 address, since a translator
//! on the way would connect to that. A network's own NAT64 prefix (RFC 6052, section 3.3) looks
//! like any other address and is not recognised.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Refused IPv4 blocks: network, prefix length, description.
const REFUSED_V4: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 32, "the unspecified address (RFC 1122)"),
    (Ipv4Addr::new(0, 0, 0, 0), 8, "an address of \"this network\" (RFC 791)"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "a private address (RFC 1918)"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "a shared carrier-grade NAT address (RFC 6598)"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "a loopback address (RFC 1122)"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "a link-local address (RFC 3927)"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "a private address (RFC 1918)"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "a protocol assignment (RFC 6890)"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "a documentation address (RFC 5737)"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a withdrawn 6to4 relay address (RFC 7526)"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "a private address (RFC 1918)"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "a benchmarking address (RFC 2544)"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "a documentation address (RFC 5737)"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "a documentation address (RFC 5737)"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "a multicast address (RFC 5771)"),
    (Ipv4Addr::new(255, 255, 255, 255), 32, "the broadcast address (RFC 919)"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "a reserved address (RFC 1112)"),
];

/// Refused IPv6 blocks: network, prefix length, description. The first match names the reason.
const REFUSED_V6: &[(Ipv6Addr, u32, &str)] = &[
    (v6(0, 0, 0), 128, "the unspecified address (RFC 4291)"),
    (Ipv6Addr::LOCALHOST, 128, "the loopback address (RFC 4291)"),
    (v6(0, 0, 0), 96, "a deprecated IPv4-compatible address (RFC 4291)"),
    (v6(0x64, 0xff9b, 1), 48, "a local-use NAT64 address (RFC 8215)"),
    (v6(0x100, 0, 0), 48, "a discard-only or dummy address (RFC 6666, RFC 9780)"),
    (v6(0x2001, 0, 0), 23, "a protocol assignment, benchmarking or ORCHID address (RFC 2928, RFC 5180, RFC 7343)"),
    (v6(0x2001, 0xdb8, 0), 32, "a documentation address (RFC 3849)"),
    (v6(0x3fff, 0, 0), 20, "a documentation address (RFC 9637)"),
    (v6(0x5f00, 0, 0), 16, "a segment routing identifier (RFC 9602)"),
    (v6(0xfc00, 0, 0), 7, "a unique local address (RFC 4193)"),
    (v6(0xfe80, 0, 0), 10, "a link-local address (RFC 4291)"),
    (v6(0xfec0, 0, 0), 10, "a deprecated site-local address (RFC 3879)"),
    (v6(0xff00, 0, 0), 8, "a multicast address (RFC 4291)"),
];

/// The only block given out as global unicast (RFC 4291, section 2.4).
const GLOBAL_UNICAST_V6: (Ipv6Addr, u32) = (v6(0x2000, 0, 0), 3);

const MAPPED: (Ipv6Addr, u32) = (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96); // RFC 4291, section 2.5.5.2
const NAT64: (Ipv6Addr, u32) = (v6(0x64, 0xff9b, 0), 96); // RFC 6052, section 2.1
const SIX_TO_FOUR: (Ipv6Addr, u32) = (v6(0x2002, 0, 0), 16); // RFC 3056, section 2
const TEREDO: (Ipv6Addr, u32) = (v6(0x2001, 0, 0), 32); // RFC 4380, section 4

/// Why the crawler may not connect to `address`, in words that follow "the address is". `None` if
/// it may.
pub(super) fn refusal(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => refusal_v4(address),
        IpAddr::V6(address) => refusal_v6(address),
    }
}

fn refusal_v4(address: Ipv4Addr) -> Option<&'static str> {
    REFUSED_V4.iter().find(|(network, length, _)| in_v4(address, *network, *length)).map(|(_, _, what)| *what)
}

fn refusal_v6(address: Ipv6Addr) -> Option<&'static str> {
    if let Some(carried) = carried_v4(address) {
        return carried.into_iter().flatten().find_map(refusal_v4);
    }
    if let Some((_, _, what)) = REFUSED_V6.iter().find(|(network, length, _)| in_v6(address, (*network, *length))) {
        return Some(what);
    }
    (!in_v6(address, GLOBAL_UNICAST_V6)).then_some("outside the global unicast block 2000::/3 (RFC 4291)")
}

/// The IPv4 addresses that `address` carries, if any. A Teredo address carries its server and (with
/// every bit flipped) its client.
fn carried_v4(address: Ipv6Addr) -> Option<[Option<Ipv4Addr>; 2]> {
    let bits = address.to_bits();
    let word = |from_the_right: u32| Ipv4Addr::from_bits((bits >> from_the_right) as u32);
    if in_v6(address, MAPPED) || in_v6(address, NAT64) {
        Some([Some(word(0)), None])
    } else if in_v6(address, SIX_TO_FOUR) {
        Some([Some(word(80)), None])
    } else if in_v6(address, TEREDO) {
        Some([Some(word(64)), Some(Ipv4Addr::from_bits(!word(0).to_bits()))])
    } else {
        None
    }
}

fn in_v4(address: Ipv4Addr, network: Ipv4Addr, length: u32) -> bool {
    (address.to_bits() ^ network.to_bits()).leading_zeros() >= length
}

fn in_v6(address: Ipv6Addr, (network, length): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ network.to_bits()).leading_zeros() >= length
}

/// The IPv6 network that starts with these three groups.
const fn v6(a: u16, b: u16, c: u16) -> Ipv6Addr {
    Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expect` is a part of the reason, or empty for an address that is allowed.
    fn check(address: &str, expect: &str) {
        let reason = refusal(address.parse().unwrap());
        match reason {
            None => assert!(expect.is_empty(), "{address} is allowed, expected: {expect}"),
            Some(reason) => assert!(!expect.is_empty() && reason.contains(expect), "{address}: {reason}"),
        }
    }

    #[test]
    fn every_block_is_refused_from_its_first_to_its_last_address_and_not_beyond() {
        for (first, last, expect) in [
            ("0.0.0.0", "0.0.0.0", "unspecified"),
            ("0.0.0.1", "0.255.255.255", "this network"),
            ("10.0.0.0", "10.255.255.255", "private"),
            ("100.64.0.0", "100.127.255.255", "carrier-grade"),
            ("127.0.0.0", "127.255.255.255", "loopback"),
            ("169.254.0.0", "169.254.255.255", "link-local"),
            ("172.16.0.0", "172.31.255.255", "private"),
            ("192.0.0.0", "192.0.0.255", "protocol"),
            ("192.0.2.0", "192.0.2.255", "documentation"),
            ("192.88.99.0", "192.88.99.255", "6to4"),
            ("192.168.0.0", "192.168.255.255", "private"),
            ("198.18.0.0", "198.19.255.255", "benchmarking"),
            ("198.51.100.0", "198.51.100.255", "documentation"),
            ("203.0.113.0", "203.0.113.255", "documentation"),
            ("224.0.0.0", "239.255.255.255", "multicast"),
            ("240.0.0.0", "255.255.255.254", "reserved"),
            ("255.255.255.255", "255.255.255.255", "broadcast"),
            ("::", "::", "unspecified"),
            ("::1", "::1", "loopback"),
            ("::2", "::ffff:ffff", "IPv4-compatible"),
            ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "NAT64"),
            ("100::", "100::1:ffff:ffff:ffff:ffff", "discard"),
            ("2001:2::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "protocol"),
            ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"),
            ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"),
            ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "segment"),
            ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "unique local"),
            ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local"),
            ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "site-local"),
            ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"),
            ("4000::", "4000::1", "outside"),
            ("::ffff:0:1.1.1.1", "::ffff:0:8.8.8.8", "outside"),
        ] {
            check(first, expect);
            check(last, expect);
        }
        for allowed in [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.88.98.255",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "198.51.99.255",
            "198.51.101.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "2000::",
            "2001:200::",
            "2001:db7::",
            "2001:db9::",
            "2003::1",
            "2606:4700::1111",
            "3ffe::",
            "3fff:1000::",
        ] {
            check(allowed, "");
        }
    }

    #[test]
    fn an_address_that_carries_another_is_judged_by_what_it_carries() {
        for (address, expect) in [
            ("::ffff:127.0.0.1", "loopback"),
            ("::ffff:10.1.2.3", "private"),
            ("::ffff:8.8.8.8", ""),
            ("64:ff9b::169.254.169.254", "link-local"),
            ("64:ff9b::8.8.8.8", ""),
            ("2002:7f00:1::", "loopback"),
            ("2002:c0a8:101::1", "private"),
            ("2002:808:808::1", ""),
            ("2001:0:7f00:1::f7f7:f7f7", "loopback"), // The server is 127.0.0.1, the client 8.8.8.8.
            ("2001:0:808:808::f5ff:fffe", "private"), // The client is 10.0.0.1.
            ("2001:0:808:808::f7f7:f7f7", ""),
        ] {
            check(address, expect);
        }
    }
}
