//! Addresses spread over a network.

use crate::params::{FromValue, Value};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A network such as `2001:db8::/48`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload) struct Network {
    first: IpAddr,
    /// Bits of its addresses that are not fixed.
    free: u32,
}

impl Network {
    /// Reads a network: an address whose bits beyond the prefix are 0, a slash and the prefix.
    fn parse(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| {
            Err(format!(
                "found \"{text}\", {why}; expected {}",
                Self::EXPECTED
            ))
        };
        let Some((address, bits)) = text.split_once('/') else {
            return wrong("which has no prefix");
        };
        let Ok(first) = address.parse::<IpAddr>() else {
            return wrong("which does not begin with an address");
        };
        let (value, all) = match first {
            IpAddr::V4(address) => (u128::from(address.to_bits()), 32),
            IpAddr::V6(address) => (address.to_bits(), 128),
        };
        let digits = !bits.is_empty() && bits.bytes().all(|byte| byte.is_ascii_digit());
        let bits = bits
            .parse::<u32>()
            .ok()
            .filter(|bits| digits && (1..=all).contains(bits));
        let Some(bits) = bits else {
            return wrong(&format!("whose prefix is not one of 1 to {all}"));
        };
        let free = all - bits;
        if value & ((1 << free) - 1) != 0 {
            return wrong("whose address has bits beyond the prefix");
        }
        Ok(Self { first, free })
    }

    /// How many addresses it has, at most 2^127.
    pub(super) const fn size(self) -> u128 {
        1 << self.free
    }

    /// The address at `index` of `count` that lie evenly in it; `count` is at most its size.
    #[allow(clippy::cast_possible_truncation)]
    pub(super) fn address(self, index: u32, count: u32) -> IpAddr {
        let offset = self.size() / u128::from(count) * u128::from(index);
        match self.first {
            IpAddr::V4(first) => Ipv4Addr::from_bits(first.to_bits() + offset as u32).into(),
            IpAddr::V6(first) => Ipv6Addr::from_bits(first.to_bits() + offset).into(),
        }
    }
}

impl FromValue for Network {
    const EXPECTED: &'static str = "a network such as \"203.0.113.0/24\" or \"2001:db8::/48\"";

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Self::parse(text),
            _ => Err(format!(
                "found {}, expected {}",
                value.describe(),
                Self::EXPECTED
            )),
        }
    }

    fn to_toml(&self) -> toml::Value {
        let all = if self.first.is_ipv4() { 32 } else { 128 };
        format!("{}/{}", self.first, all - self.free).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(network: &str, count: u32) -> Vec<String> {
        let network = Network::parse(network).unwrap();
        (0..count)
            .map(|index| network.address(index, count).to_string())
            .collect()
    }

    #[test]
    fn addresses_lie_evenly_in_their_network() {
        assert_eq!(
            addresses("203.0.113.0/30", 4),
            ["203.0.113.0", "203.0.113.1", "203.0.113.2", "203.0.113.3"]
        );
        assert_eq!(
            addresses("10.0.0.0/8", 3),
            ["10.0.0.0", "10.85.85.85", "10.170.170.170"]
        );
        // 2^16 networks of /64: a quarter of them from one to the next.
        assert_eq!(
            addresses("2001:db8::/48", 4),
            [
                "2001:db8::",
                "2001:db8:0:4000::",
                "2001:db8:0:8000::",
                "2001:db8:0:c000::"
            ]
        );
        assert_eq!(
            addresses("2001:db8:1:2::/64", 2),
            ["2001:db8:1:2::", "2001:db8:1:2:8000::"]
        );
        assert_eq!(addresses("::1/128", 1), ["::1"]);
        assert_eq!(addresses("8000::/1", 2), ["8000::", "c000::"]);
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for (text, why) in [
            ("203.0.113.0", "no prefix"),
            ("203.0.113/24", "does not begin with an address"),
            ("203.0.113.0/33", "one of 1 to 32"),
            ("203.0.113.0/0", "one of 1 to 32"),
            ("203.0.113.0/+8", "one of 1 to 32"),
            ("203.0.113.7/24", "bits beyond the prefix"),
            ("2001:db8::1/64", "bits beyond the prefix"),
            ("2001:db8::/129", "one of 1 to 128"),
        ] {
            let message = Network::parse(text).unwrap_err();
            assert!(message.contains(why), "{text}: {message}");
        }
    }
}
