//! Damages inputs, always in the same way, so that a failure can be reproduced. Every test with damaged inputs uses it.

#![allow(dead_code, reason = "each test binary needs some of these")]

use std::{fs, panic, path::PathBuf};

/// Most bytes of a seed.
pub(crate) const SEED_MAX: usize = 16 << 10;

/// Deterministic numbers that look random.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

fn mutate_seed(seeds: &[Vec<u8>], words: &[&[u8]], chance: &mut RandomNumbers) -> Vec<u8> {
    let mut bytes = seeds[chance.below(seeds.len())].clone();
    for _ in 0..=chance.below(6) {
        let at = chance.below(bytes.len() + 1);
        let length = [1, 4, 16, 200][chance.below(4)].min(bytes.len() - at);
        match chance.below(8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..at + length)),
            2 => {
                let piece = bytes[at..at + length].repeat([2, 3, 50][chance.below(3)]);
                bytes.splice(at..at, piece);
            }
            3 => {
                let other = &seeds[chance.below(seeds.len())];
                let from = chance.below(other.len() + 1);
                let end = (from + chance.below(400)).min(other.len());
                bytes.splice(at..at + length, other[from..end].iter().copied());
            }
            4 | 5 => drop(bytes.splice(at..at, words[chance.below(words.len())].iter().copied())),
            6 if at < bytes.len() => bytes[at] = chance.next() as u8,
            _ if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            _ => {}
        }
    }
    bytes.truncate(4 * SEED_MAX);
    bytes
}

/// Has a reader read the seeds and then, `times` times, what is left of one after some damage. `words` are pieces that
/// have a meaning for the reader.
pub(crate) fn read_damaged(name: &str, reader: fn(&[u8]), seeds: &[Vec<u8>], words: &[&[u8]], times: u64) {
    assert!(!seeds.is_empty() && seeds.iter().all(|seed| !seed.is_empty()));
    for seed in seeds {
        reader(seed);
    }
    for number in 1..=times {
        let bytes = mutate_seed(seeds, words, &mut RandomNumbers(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        if panic::catch_unwind(|| reader(&bytes)).is_err() {
            let shown: String = String::from_utf8_lossy(&bytes).chars().take(2_000).collect();
            panic!("the reader `{name}` gave up at file {number}: {shown:?}");
        }
    }
}

/// Writes the seeds of a reader for cargo fuzz, into the folder that FUZZ_SEEDS names.
pub(crate) fn write_seeds(name: &str, seeds: &[Vec<u8>]) {
    let folder = PathBuf::from(std::env::var_os("FUZZ_SEEDS").expect("FUZZ_SEEDS names a folder")).join(name);
    fs::create_dir_all(&folder).unwrap();
    for (at, seed) in seeds.iter().enumerate() {
        fs::write(folder.join(format!("seed-{at}")), seed).unwrap();
    }
}
