//! Random generators of their own for every part of a workload.

use rand_pcg::Pcg64;

/// What a generator's numbers are used for; each use has its own, so that one more draw of one kind
/// moves no draw of another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// Instants of arrivals.
    Instants,
    /// Keys of arrivals.
    Keys,
    /// Costs of arrivals.
    Costs,
    /// All that one key does, where it is a source of its own; the part is its number in the block.
    Source,
    /// How requests find a node.
    Routing,
    /// Round trips of first asks, one per request.
    Asks,
    /// Round trips of everything else.
    Writes,
    /// Addresses that requests come from.
    Addresses,
    /// Users that make them.
    Users,
    /// API keys that they show.
    ApiKeys,
    /// How long clients wait that are refused.
    Retries,
    /// Which requests go past the limiter, one word per request.
    Bypasses = 32,
    /// How long the backend works on a request, one generator per request.
    Services,
}

/// The part that stands for a whole block, where it is not cut into shards.
pub(crate) const WHOLE: u32 = u32::MAX;

/// The block that stands for no traffic: what nodes and links draw.
pub(crate) const NO_BLOCK: u16 = u16::MAX;

/// The generator for `purpose` in `part` (a shard, a key's number, or [`WHOLE`]) of traffic block `block`.
///
/// PCG streams with different increments are distinct sequences; the increment is an injective
/// function of (block, part, purpose), and the state depends on all of these and the seed, so that
/// neighbouring seeds and shards share nothing.
pub(crate) fn generator(seed: u64, block: u16, part: u32, purpose: Purpose) -> Pcg64 {
    let place = u64::from(block) << 40 | u64::from(part) << 8 | purpose as u64;
    let mixed = mix(place.wrapping_add(mix(seed)));
    let state = u128::from(mixed) << 64 | u128::from(mix(mixed));
    Pcg64::new(state, u128::from(mix(place)))
}

/// The word of SplitMix64 for request `number`, whatever is drawn for others: the same in every candidate,
/// and whether or not anybody asks for it.
pub(crate) const fn word(seed: u64, purpose: Purpose, number: u64) -> u64 {
    let place = (NO_BLOCK as u64) << 40 | (WHOLE as u64) << 8 | purpose as u64;
    let start = mix(place.wrapping_add(mix(seed)));
    mix(start.wrapping_add(number.wrapping_mul(GAMMA)))
}

/// The generator for request `number`, for what may take several words.
pub(crate) fn numbered(seed: u64, purpose: Purpose, number: u64) -> Pcg64 {
    let word = word(seed, purpose, number);
    let state = u128::from(word) << 64 | u128::from(mix(word));
    Pcg64::new(state, u128::from(mix(purpose as u64)))
}

/// The step of SplitMix64: 2^64 over the golden ratio, made odd.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// One step of SplitMix64 (Steele, Lea and Flood, 2014): a bijection that leaves no structure.
pub(crate) const fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(GAMMA);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    /// The first outputs of SplitMix64 from seed 1234567, as its authors publish them.
    #[test]
    fn mixing_is_splitmix64() {
        assert_eq!(mix(1_234_567), 6_457_827_717_110_365_317);
        assert_eq!(
            mix(1_234_567u64.wrapping_add(GAMMA)),
            3_203_168_211_198_807_973
        );
    }

    #[test]
    fn every_part_and_purpose_has_numbers_of_its_own() {
        let mut firsts = std::collections::HashSet::new();
        for seed in 0..4 {
            for block in 0..4 {
                for part in (0..64).chain([WHOLE]) {
                    for purpose in [
                        Purpose::Instants,
                        Purpose::Keys,
                        Purpose::Costs,
                        Purpose::Source,
                        Purpose::Routing,
                        Purpose::Asks,
                        Purpose::Writes,
                        Purpose::Addresses,
                        Purpose::Users,
                        Purpose::ApiKeys,
                        Purpose::Bypasses,
                        Purpose::Services,
                        Purpose::Retries,
                    ] {
                        firsts.insert(generator(seed, block, part, purpose).next_u64());
                    }
                }
            }
        }
        assert_eq!(firsts.len(), 4 * 4 * 65 * 13);
    }

    /// A request's word depends on its number alone, and no two have the same.
    #[test]
    fn every_request_has_a_word_of_its_own() {
        let mut words = std::collections::HashSet::new();
        for purpose in [Purpose::Bypasses, Purpose::Services] {
            for number in (0..500).chain([u64::MAX]) {
                words.insert(word(7, purpose, number));
                words.insert(numbered(7, purpose, number).next_u64());
            }
        }
        assert_eq!(words.len(), 2 * 2 * 501);
    }
}
