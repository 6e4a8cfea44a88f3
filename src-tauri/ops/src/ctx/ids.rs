//! Generates ids. Each id follows from the seed, from the act that draws it, and from the number of ids that this act
//! has drawn, so that simultaneous acts do not affect each other's ids.

use std::sync::{
    Arc, PoisonError, RwLock,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

use roost_model::{id::Ksuid, time::Timestamp};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum IdStyle {
    /// Same form as the service's: the second of creation, then random digits.
    #[default]
    Random,
    /// Counted up and easy to read. They contain no time.
    Sequence,
    /// Derived from the seed and the request only, independent of the clock.
    Hash,
}

/// A stream of ids, one for each act. The ids of a stream do not depend on other streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdStream {
    /// The initial content of an account.
    Seed,
    /// Everything without a number, such as the consecutive acts of a person.
    Manual,
    /// A contact job, starting at the contact `first`.
    Job { id: i64, first: u32 },
    /// A request that may change something; see [`Ids::begin_act`].
    Act(u64),
    /// A request that only reads; see [`Ids::begin_read`].
    Read(u64),
}

/// How many ids an account has drawn. From here, drawing can continue or be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdPosition {
    acts: u64,
    looks: u64,
    hand: (u64, u64),
    avoided: AvoidedIds,
    latest: i64,
    salt: u64,
}

/// The ids of one account.
pub struct Ids {
    law: RwLock<IdScheme>,
    /// Separates the ids from those of an opened file, which were drawn by another process.
    salt: AtomicU64,
    acts: AtomicU64,
    looks: AtomicU64,
    hand: Arc<DrawCounts>,
    /// The latest second in any id, so that ids sort in the order of creation even if the clock is set back.
    latest: AtomicI64,
}

/// The values from which ids are derived, apart from the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdScheme {
    /// The chosen seed, or `None` if the key is random. A random key is not shown to anybody.
    seed: Option<u64>,
    key: [u64; 2],
    style: IdStyle,
    #[serde(skip)]
    avoided: AvoidedIds,
}

/// A hash of all ids that came from elsewhere; 0 if there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AvoidedIds {
    any: u64,
    /// The same hash of consecutive ids only.
    counted: u64,
}

/// How many values one stream has drawn.
#[derive(Debug, Default)]
pub(super) struct DrawCounts {
    ids: AtomicU64,
    others: AtomicU64,
}

/// One stream and its position.
pub(super) struct StreamDraws {
    kind: u64,
    number: u64,
    drawn: Arc<DrawCounts>,
}

/// The layout of an id in the random style: kind, number, position in the stream, and the gap to the next id.
const KIND_SHIFT: u32 = 121;
const NUMBER_SHIFT: u32 = 81;
const PLACE_SHIFT: u32 = 49;
const JUMP: u64 = (1 << PLACE_SHIFT) - 1;
/// The numbers of positions and of streams that have digits reserved in the sequence style.
const PLACES: u128 = 62_u128.pow(4);
const NUMBERS: u128 = 62_u128.pow(9);
/// The beginning of ids in the sequence style, and of those that also have no kind.
const NO_TIME: &str = "00000";
const NO_KIND: &str = "00000000000000";

const CODE: u64 = 1;
const TRACE: u64 = 2;
const ID: u64 = 3;
const NAME: u64 = 4;

/// Mixes the bits of a number with SplitMix64.
fn mix(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

fn mix_all(key: u64, parts: &[u64]) -> u64 {
    parts.iter().fold(key, |sum, part| mix(sum ^ mix(*part)))
}

impl Default for IdPosition {
    /// Returns the position at which nothing was drawn yet.
    fn default() -> Self {
        Self { acts: 0, looks: 0, hand: (0, 0), avoided: AvoidedIds::default(), latest: i64::MIN, salt: 0 }
    }
}

impl IdPosition {
    /// Returns this position with the salt of another, so that its ids differ from those drawn in the other's file.
    pub fn with_salt_of(self, other: Self) -> Self {
        Self { salt: other.salt, ..self }
    }
}

impl IdScheme {
    pub fn from_seed(seed: u64) -> Self {
        Self {
            seed: Some(seed),
            key: [mix(seed), mix(mix(!seed))],
            style: IdStyle::default(),
            avoided: AvoidedIds::default(),
        }
    }

    pub fn with_style(self, style: IdStyle) -> Self {
        Self { style, ..self }
    }

    /// Returns the seed, or `None` if the key is random.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    pub fn style(&self) -> IdStyle {
        self.style
    }

    fn hash_to_64(&self, parts: &[u64]) -> u64 {
        mix_all(self.key[0], parts)
    }

    fn hash_to_128(&self, parts: &[u64]) -> u128 {
        (u128::from(mix_all(self.key[0], parts)) << 64) | u128::from(mix_all(self.key[1], parts))
    }
}

impl Ids {
    fn new(law: IdScheme) -> Self {
        Self {
            law: RwLock::new(law),
            salt: AtomicU64::new(0),
            acts: AtomicU64::new(0),
            looks: AtomicU64::new(0),
            hand: Arc::default(),
            latest: AtomicI64::new(i64::MIN),
        }
    }

    /// Creates ids from a seed. The same seed and acts give the same ids.
    pub(super) fn seeded(seed: u64) -> Self {
        Self::new(IdScheme::from_seed(seed))
    }

    pub(super) fn from_random_key(key: [u64; 2]) -> Self {
        Self::new(IdScheme { seed: None, key, ..IdScheme::from_seed(0) })
    }

    /// Returns ids of the same scheme with nothing drawn yet.
    pub(super) fn without_draws(&self) -> Self {
        Self::new(IdScheme { avoided: AvoidedIds::default(), ..self.scheme() })
    }

    pub fn scheme(&self) -> IdScheme {
        *self.law.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the seed, or `None` if the key is random.
    pub fn seed(&self) -> Option<u64> {
        self.scheme().seed
    }

    /// Derives a seed for the part with this name, or returns `None` if the key is random.
    pub fn seed_for(&self, name: &str) -> Option<u64> {
        let name = name.bytes().fold(0, |sum, byte| mix(sum ^ u64::from(byte)));
        // The result has only as many bits as every JSON reader can represent.
        self.seed().map(|seed| mix_all(seed, &[NAME, name]) >> 11)
    }

    pub fn style(&self) -> IdStyle {
        self.scheme().style
    }

    /// Returns the number of acts that have begun.
    pub fn acts(&self) -> u64 {
        self.acts.load(Ordering::Relaxed)
    }

    /// Changes the seed or the style of future ids. The position stays, so that no earlier id is repeated.
    pub fn set_seed_and_style(&self, seed: Option<u64>, style: Option<IdStyle>) {
        let mut law = self.law.write().unwrap_or_else(PoisonError::into_inner);
        let style = style.unwrap_or(law.style);
        *law = IdScheme { style, avoided: law.avoided, ..seed.map_or(*law, IdScheme::from_seed) };
    }

    /// Makes future ids follow another scheme, which may be a random one.
    pub fn set_scheme(&self, law: IdScheme) {
        let mut own = self.law.write().unwrap_or_else(PoisonError::into_inner);
        *own = IdScheme { avoided: own.avoided, ..law };
    }

    /// Sets the salt that separates new ids from those drawn earlier in the same file.
    pub(crate) fn set_salt(&self, salt: u64) {
        self.salt.store(salt, Ordering::Relaxed);
    }

    /// Reserves an id that came from elsewhere, where the same seed may have generated it.
    pub fn reserve_id(&self, id: &str) {
        let came = id.bytes().fold(0, |sum, byte| mix(sum ^ u64::from(byte)));
        let body = id.rsplit('_').next().unwrap_or_default();
        // Ids without a kind are names chosen by hand, and do not disturb consecutive numbers.
        let counted = if body.starts_with(NO_TIME) && !body.starts_with(NO_KIND) { came } else { 0 };
        self.add_avoided(AvoidedIds { any: came, counted });
    }

    /// Reserves all ids that came from elsewhere to another account of this scheme.
    pub fn reserve_ids_of(&self, other: &Self) {
        self.add_avoided(other.scheme().avoided);
    }

    fn add_avoided(&self, came: AvoidedIds) {
        let on = |before: u64, came: u64| if came == 0 { before } else { mix(before ^ came) };
        let mut law = self.law.write().unwrap_or_else(PoisonError::into_inner);
        law.avoided = AvoidedIds { any: on(law.avoided.any, came.any), counted: on(law.avoided.counted, came.counted) };
    }

    pub fn begin_act(&self) -> IdStream {
        IdStream::Act(self.acts.fetch_add(1, Ordering::Relaxed).wrapping_add(1))
    }

    pub fn begin_read(&self) -> IdStream {
        IdStream::Read(self.looks.fetch_add(1, Ordering::Relaxed).wrapping_add(1))
    }

    pub fn position(&self) -> IdPosition {
        IdPosition {
            acts: self.acts.load(Ordering::Relaxed),
            looks: self.looks.load(Ordering::Relaxed),
            hand: (self.hand.ids.load(Ordering::Relaxed), self.hand.others.load(Ordering::Relaxed)),
            avoided: self.scheme().avoided,
            latest: self.latest.load(Ordering::Relaxed),
            salt: self.salt.load(Ordering::Relaxed),
        }
    }

    /// Continues from a position. The caller must ensure that everything created after the position is removed.
    pub fn restore_position(&self, position: IdPosition) {
        self.acts.store(position.acts, Ordering::Relaxed);
        self.looks.store(position.looks, Ordering::Relaxed);
        self.hand.ids.store(position.hand.0, Ordering::Relaxed);
        self.hand.others.store(position.hand.1, Ordering::Relaxed);
        self.law.write().unwrap_or_else(PoisonError::into_inner).avoided = position.avoided;
        self.latest.store(position.latest, Ordering::Relaxed);
        self.salt.store(position.salt, Ordering::Relaxed);
    }

    pub(super) fn draws_for(&self, stream: IdStream) -> StreamDraws {
        // Initial content comes first, and manual acts come before requests, so that their ids sort in this order.
        let (kind, number, first) = match stream {
            IdStream::Seed => (0, 0, 0),
            IdStream::Manual => return StreamDraws { kind: 1, number: 0, drawn: self.hand.clone() },
            IdStream::Job { id, first } => (2, id.unsigned_abs(), u64::from(first)),
            IdStream::Act(number) => (3, number, 0),
            IdStream::Read(number) => (4, number, 0),
        };
        let drawn = DrawCounts { ids: AtomicU64::new(first), others: AtomicU64::new(0) };
        StreamDraws { kind, number, drawn: Arc::new(drawn) }
    }

    pub(super) fn ksuid(&self, at: Timestamp, draws: &StreamDraws) -> Ksuid {
        let StreamDraws { kind, number, ref drawn } = *draws;
        let (law, place) = (self.scheme(), drawn.ids.fetch_add(1, Ordering::Relaxed));
        let file = self.salt.load(Ordering::Relaxed);
        let avoided = if law.style == IdStyle::Sequence { law.avoided.counted } else { law.avoided.any };
        let salt = file ^ avoided;
        match law.style {
            IdStyle::Random => {
                let second = at.unix().max(self.latest.fetch_max(at.unix(), Ordering::Relaxed));
                // The first id of a second does not depend on what was avoided, so that ids sort in the order of
                // creation.
                let begin = law.hash_to_128(&[ID, file, second.cast_unsigned()]) >> (128 - NUMBER_SHIFT - 40);
                let jump = law.hash_to_64(&[ID, salt, kind, number, place]) & JUMP;
                let payload = begin
                    + (u128::from(kind) << KIND_SHIFT)
                    + (u128::from(number & ((1 << 40) - 1)) << NUMBER_SHIFT)
                    + (u128::from(place & u64::from(u32::MAX)) << PLACE_SHIFT)
                    + u128::from(jump);
                Ksuid::new(second, payload.to_be_bytes())
            }
            IdStyle::Sequence => {
                let number = u128::from(kind) * NUMBERS + u128::from(number) % NUMBERS;
                let payload = (u128::from(salt) << 100) + number * PLACES + u128::from(place) + 1;
                Ksuid::new(0, payload.to_be_bytes())
            }
            IdStyle::Hash => {
                let parts = [ID, salt, kind, number, place];
                let second =
                    i64::from(u32::try_from(law.hash_to_64(&[salt, kind, number, place, ID]) >> 32).unwrap_or(0));
                Ksuid::new(1_400_000_000 + second, law.hash_to_128(&parts).to_be_bytes())
            }
        }
    }

    fn draw_other(&self, what: u64, draws: &StreamDraws) -> (u64, u64) {
        let StreamDraws { kind, number, ref drawn } = *draws;
        let place = drawn.others.fetch_add(1, Ordering::Relaxed);
        (self.scheme().hash_to_64(&[what, self.salt.load(Ordering::Relaxed), kind, number, place]), place)
    }

    pub(super) fn code(&self, len: usize, draws: &StreamDraws) -> String {
        const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let (mut state, _) = self.draw_other(CODE, draws);
        let mut next = || {
            state = mix(state);
            usize::try_from((u128::from(state) * ALPHABET.len() as u128) >> 64).unwrap_or(0)
        };
        (0..len).map(|_| char::from(ALPHABET[next()])).collect()
    }

    pub(super) fn trace_id(&self, draws: &StreamDraws) -> String {
        let (drawn, place) = self.draw_other(TRACE, draws);
        match self.style() {
            IdStyle::Sequence => {
                format!("{:016x}", (draws.kind << 60) | (draws.number << 16) | (place.wrapping_add(1) & 0xffff))
            }
            IdStyle::Random | IdStyle::Hash => format!("{drawn:016x}"),
        }
    }
}
