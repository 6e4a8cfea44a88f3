//! Where ids come from: all of them follow from a seed, from whose act they are, and from how many that act has drawn,
//! so that acts at the same time do not change each other's.

use std::sync::{
    Arc, PoisonError, RwLock,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

use roost_model::{id::Ksuid, time::Timestamp};
use serde::{Deserialize, Serialize};

/// What made ids look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// As the service's: their second first, then what looks like chance; they sort as they were made.
    #[default]
    Random,
    /// Counted up and easy to read; no time in them.
    Sequence,
    /// From the seed and the act alone, whatever the clock says; in no order.
    Hash,
}

/// Whose act draws ids. Each draws its own, whatever the others do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// What an account begins with.
    Seed,
    /// Everything that has no number of its own: acts of a person, one after the other.
    Hand,
    /// A contact job, from the `first` of its contacts on.
    Job { id: i64, first: u32 },
    /// A request that may change something, by [`Ids::begin_act`].
    Act(u64),
    /// A request that only looks, by [`Ids::begin_look`].
    Look(u64),
}

/// How far an account's ids have come: to go on from there, or to begin there once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    acts: u64,
    looks: u64,
    hand: (u64, u64),
    avoided: Avoided,
    latest: i64,
    salt: u64,
}

/// The ids of one account.
pub struct Ids {
    law: RwLock<Law>,
    /// Of what an opened file holds, which made ids of its own.
    salt: AtomicU64,
    acts: AtomicU64,
    looks: AtomicU64,
    hand: Arc<Drawn>,
    /// The latest second in any id: ids sort as they were made also when the clock is set back.
    latest: AtomicI64,
}

/// What ids follow from, besides how far they have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Law {
    /// None: nobody chose it, and nobody is told.
    seed: Option<u64>,
    key: [u64; 2],
    style: Style,
    #[serde(skip)]
    avoided: Avoided,
}

/// What came in from elsewhere, in one number; 0 for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Avoided {
    any: u64,
    /// Of ids that were counted up alone.
    counted: u64,
}

/// How much one stream has drawn.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    ids: AtomicU64,
    others: AtomicU64,
}

/// One stream at its place.
pub(super) struct Draws {
    kind: u64,
    number: u64,
    drawn: Arc<Drawn>,
}

/// Of an id in the random style: its kind, its number, its place in the stream, and a jump to the next.
const KIND_SHIFT: u32 = 121;
const NUMBER_SHIFT: u32 = 81;
const PLACE_SHIFT: u32 = 49;
const JUMP: u64 = (1 << PLACE_SHIFT) - 1;
/// In the sequence style, so many places and numbers have digits of their own.
const PLACES: u128 = 62_u128.pow(4);
const NUMBERS: u128 = 62_u128.pow(9);
/// What such ids begin with; what those begin with that have no kind either.
const NO_TIME: &str = "00000";
const NO_KIND: &str = "00000000000000";

const CODE: u64 = 1;
const TRACE: u64 = 2;
const ID: u64 = 3;
const NAME: u64 = 4;

/// SplitMix64.
fn mix(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

fn mixed(key: u64, parts: &[u64]) -> u64 {
    parts.iter().fold(key, |sum, part| mix(sum ^ mix(*part)))
}

impl Default for Position {
    /// Nothing was drawn yet.
    fn default() -> Self {
        Self { acts: 0, looks: 0, hand: (0, 0), avoided: Avoided::default(), latest: i64::MIN, salt: 0 }
    }
}

impl Position {
    /// As far as this, and told from what was made in the file of another one.
    pub fn with_salt_of(self, other: Self) -> Self {
        Self { salt: other.salt, ..self }
    }
}

impl Law {
    pub fn of(seed: u64) -> Self {
        Self {
            seed: Some(seed),
            key: [mix(seed), mix(mix(!seed))],
            style: Style::default(),
            avoided: Avoided::default(),
        }
    }

    pub fn with_style(self, style: Style) -> Self {
        Self { style, ..self }
    }

    /// None where chance settled it.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    pub fn style(&self) -> Style {
        self.style
    }

    fn one(&self, parts: &[u64]) -> u64 {
        mixed(self.key[0], parts)
    }

    fn two(&self, parts: &[u64]) -> u128 {
        (u128::from(mixed(self.key[0], parts)) << 64) | u128::from(mixed(self.key[1], parts))
    }
}

impl Ids {
    fn new(law: Law) -> Self {
        Self {
            law: RwLock::new(law),
            salt: AtomicU64::new(0),
            acts: AtomicU64::new(0),
            looks: AtomicU64::new(0),
            hand: Arc::default(),
            latest: AtomicI64::new(i64::MIN),
        }
    }

    /// The same seed and acts give the same ids.
    pub(super) fn seeded(seed: u64) -> Self {
        Self::new(Law::of(seed))
    }

    pub(super) fn of_chance(key: [u64; 2]) -> Self {
        Self::new(Law { seed: None, key, ..Law::of(0) })
    }

    /// The same law with nothing drawn yet.
    pub(super) fn anew(&self) -> Self {
        Self::new(Law { avoided: Avoided::default(), ..self.law() })
    }

    pub fn law(&self) -> Law {
        *self.law.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// None where chance settled it.
    pub fn seed(&self) -> Option<u64> {
        self.law().seed
    }

    /// One of its own for a part with this name; none where chance settled it.
    pub fn seed_for(&self, name: &str) -> Option<u64> {
        let name = name.bytes().fold(0, |sum, byte| mix(sum ^ u64::from(byte)));
        // As many bits as a number of JSON holds everywhere.
        self.seed().map(|seed| mixed(seed, &[NAME, name]) >> 11)
    }

    pub fn style(&self) -> Style {
        self.law().style
    }

    /// Acts that have begun.
    pub fn acts(&self) -> u64 {
        self.acts.load(Ordering::Relaxed)
    }

    /// Ids follow from another seed, or look different, from now on. What was drawn stays drawn, so that no id of before
    /// is made once more.
    pub fn set(&self, seed: Option<u64>, style: Option<Style>) {
        let mut law = self.law.write().unwrap_or_else(PoisonError::into_inner);
        let style = style.unwrap_or(law.style);
        *law = Law { style, avoided: law.avoided, ..seed.map_or(*law, Law::of) };
    }

    /// Ids follow another law from now on, that of chance included.
    pub fn follow(&self, law: Law) {
        let mut own = self.law.write().unwrap_or_else(PoisonError::into_inner);
        *own = Law { avoided: own.avoided, ..law };
    }

    /// Tells ids from those made earlier in the same file, which nobody counted.
    pub(crate) fn salt(&self, salt: u64) {
        self.salt.store(salt, Ordering::Relaxed);
    }

    /// Never makes this id: it came in from elsewhere, where the same seed may have made it.
    pub fn avoid(&self, id: &str) {
        let came = id.bytes().fold(0, |sum, byte| mix(sum ^ u64::from(byte)));
        let body = id.rsplit('_').next().unwrap_or_default();
        // Those without a kind are names given by hand, and whoever counts can go on as they are.
        let counted = if body.starts_with(NO_TIME) && !body.starts_with(NO_KIND) { came } else { 0 };
        self.avoid_all(Avoided { any: came, counted });
    }

    /// The same for all that came in to another account of this law.
    pub fn avoid_those_of(&self, other: &Self) {
        self.avoid_all(other.law().avoided);
    }

    fn avoid_all(&self, came: Avoided) {
        let on = |before: u64, came: u64| if came == 0 { before } else { mix(before ^ came) };
        let mut law = self.law.write().unwrap_or_else(PoisonError::into_inner);
        law.avoided = Avoided { any: on(law.avoided.any, came.any), counted: on(law.avoided.counted, came.counted) };
    }

    pub fn begin_act(&self) -> Stream {
        Stream::Act(self.acts.fetch_add(1, Ordering::Relaxed) + 1)
    }

    pub fn begin_look(&self) -> Stream {
        Stream::Look(self.looks.fetch_add(1, Ordering::Relaxed) + 1)
    }

    pub fn position(&self) -> Position {
        Position {
            acts: self.acts.load(Ordering::Relaxed),
            looks: self.looks.load(Ordering::Relaxed),
            hand: (self.hand.ids.load(Ordering::Relaxed), self.hand.others.load(Ordering::Relaxed)),
            avoided: self.law().avoided,
            latest: self.latest.load(Ordering::Relaxed),
            salt: self.salt.load(Ordering::Relaxed),
        }
    }

    /// Goes on from a position: only where what was made after it is no more.
    pub fn go_to(&self, position: Position) {
        self.acts.store(position.acts, Ordering::Relaxed);
        self.looks.store(position.looks, Ordering::Relaxed);
        self.hand.ids.store(position.hand.0, Ordering::Relaxed);
        self.hand.others.store(position.hand.1, Ordering::Relaxed);
        self.law.write().unwrap_or_else(PoisonError::into_inner).avoided = position.avoided;
        self.latest.store(position.latest, Ordering::Relaxed);
        self.salt.store(position.salt, Ordering::Relaxed);
    }

    pub(super) fn draws(&self, stream: Stream) -> Draws {
        // Seeds come first, and what is made by hand before what is asked for: so they sort.
        let (kind, number, first) = match stream {
            Stream::Seed => (0, 0, 0),
            Stream::Hand => return Draws { kind: 1, number: 0, drawn: self.hand.clone() },
            Stream::Job { id, first } => (2, id.unsigned_abs(), u64::from(first)),
            Stream::Act(number) => (3, number, 0),
            Stream::Look(number) => (4, number, 0),
        };
        let drawn = Drawn { ids: AtomicU64::new(first), others: AtomicU64::new(0) };
        Draws { kind, number, drawn: Arc::new(drawn) }
    }

    pub(super) fn ksuid(&self, at: Timestamp, draws: &Draws) -> Ksuid {
        let Draws { kind, number, ref drawn } = *draws;
        let (law, place) = (self.law(), drawn.ids.fetch_add(1, Ordering::Relaxed));
        let file = self.salt.load(Ordering::Relaxed);
        let avoided = if law.style == Style::Sequence { law.avoided.counted } else { law.avoided.any };
        let salt = file ^ avoided;
        match law.style {
            Style::Random => {
                let second = at.unix().max(self.latest.fetch_max(at.unix(), Ordering::Relaxed));
                // Where ids begin in a second stays the same, so that they sort as they were made.
                let begin = law.two(&[ID, file, second.cast_unsigned()]) >> (128 - NUMBER_SHIFT - 40);
                let jump = law.one(&[ID, salt, kind, number, place]) & JUMP;
                let payload = begin
                    + (u128::from(kind) << KIND_SHIFT)
                    + (u128::from(number & ((1 << 40) - 1)) << NUMBER_SHIFT)
                    + (u128::from(place & u64::from(u32::MAX)) << PLACE_SHIFT)
                    + u128::from(jump);
                Ksuid::new(second, payload.to_be_bytes())
            }
            Style::Sequence => {
                let number = u128::from(kind) * NUMBERS + u128::from(number) % NUMBERS;
                let payload = (u128::from(salt) << 100) + number * PLACES + u128::from(place) + 1;
                Ksuid::new(0, payload.to_be_bytes())
            }
            Style::Hash => {
                let parts = [ID, salt, kind, number, place];
                let second = i64::from(u32::try_from(law.one(&[salt, kind, number, place, ID]) >> 32).unwrap_or(0));
                Ksuid::new(1_400_000_000 + second, law.two(&parts).to_be_bytes())
            }
        }
    }

    fn other(&self, what: u64, draws: &Draws) -> (u64, u64) {
        let Draws { kind, number, ref drawn } = *draws;
        let place = drawn.others.fetch_add(1, Ordering::Relaxed);
        (self.law().one(&[what, self.salt.load(Ordering::Relaxed), kind, number, place]), place)
    }

    pub(super) fn code(&self, len: usize, draws: &Draws) -> String {
        const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let (mut state, _) = self.other(CODE, draws);
        let mut next = || {
            state = mix(state);
            usize::try_from((u128::from(state) * ALPHABET.len() as u128) >> 64).unwrap_or(0)
        };
        (0..len).map(|_| char::from(ALPHABET[next()])).collect()
    }

    pub(super) fn trace_id(&self, draws: &Draws) -> String {
        let (drawn, place) = self.other(TRACE, draws);
        match self.style() {
            Style::Sequence => format!("{:016x}", (draws.kind << 60) | (draws.number << 16) | ((place + 1) & 0xffff)),
            Style::Random | Style::Hash => format!("{drawn:016x}"),
        }
    }
}
