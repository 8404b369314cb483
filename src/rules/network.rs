//! Addresses, and the networks that are one key.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How many leading bits of an address make a key. Whoever has an IPv6 address mostly has all of its
/// /64, so that counting single addresses counts nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefixes {
    /// Of an IPv4 address, 0 to 32.
    pub v4: u8,
    /// Of an IPv6 address, 0 to 128.
    pub v6: u8,
}

impl Default for Prefixes {
    fn default() -> Self {
        Self { v4: 32, v6: 64 }
    }
}

impl Prefixes {
    /// The network of an address as a text: the address itself where it is alone in it, else
    /// `2001:db8:1:2::/64`. An IPv6 address that stands for an IPv4 one (::ffff:203.0.113.7) is that
    /// one. A text that is no address is a key as it stands.
    pub fn network(self, text: &str) -> Cow<'_, str> {
        let Ok(address) = text.parse::<IpAddr>() else {
            return Cow::Borrowed(text);
        };
        let (first, bits, all) = match address.to_canonical() {
            IpAddr::V4(address) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.v4)).unwrap_or(0);
                let first = Ipv4Addr::from_bits(address.to_bits() & mask);
                (IpAddr::V4(first), self.v4, 32)
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.v6)).unwrap_or(0);
                let first = Ipv6Addr::from_bits(address.to_bits() & mask);
                (IpAddr::V6(first), self.v6, 128)
            }
        };
        Cow::Owned(if bits == all {
            first.to_string()
        } else {
            format!("{first}/{bits}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(v4: u8, v6: u8, rows: &[(&str, &str)]) {
        for (address, network) in rows {
            assert_eq!(Prefixes { v4, v6 }.network(address), *network, "{address}");
        }
    }

    #[test]
    fn addresses_of_one_prefix_are_one_key() {
        let usual = Prefixes::default();
        check(
            usual.v4,
            usual.v6,
            &[
                ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
                ("2001:db8:1:2::2", "2001:db8:1:2::/64"),
                ("2001:DB8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
                ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
                ("203.0.113.7", "203.0.113.7"),
                ("::ffff:203.0.113.7", "203.0.113.7"),
                ("::ffff:cb00:7107", "203.0.113.7"),
                ("::1", "::/64"),
            ],
        );
        check(
            24,
            48,
            &[
                ("203.0.113.7", "203.0.113.0/24"),
                ("203.0.113.255", "203.0.113.0/24"),
                ("203.0.114.0", "203.0.114.0/24"),
                ("2001:db8:1:2::1", "2001:db8:1::/48"),
            ],
        );
        check(
            0,
            0,
            &[("203.0.113.7", "0.0.0.0/0"), ("2001:db8::1", "::/0")],
        );
        check(32, 128, &[("2001:db8:0:0::1", "2001:db8::1"), ("::", "::")]);
        check(31, 127, &[("10.0.0.3", "10.0.0.2/31"), ("::3", "::2/127")]);
    }

    #[test]
    fn what_is_no_address_is_a_key_as_it_stands() {
        let texts = [
            "alice",
            "",
            "203.0.113",
            "203.0.113.7:80",
            "fe80::1%eth0",
            "010.0.0.1",
            "[::1]",
        ];
        check(8, 8, &texts.map(|text| (text, text)));
    }
}
