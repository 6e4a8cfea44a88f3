//! Generates people who do not exist from common names, streets and towns.

use rand::{Rng, rngs::StdRng, seq::SliceRandom};

use super::numbers::{self, NumberRange};

/// A generated person, who may be on several lists.
#[derive(Debug, Clone)]
pub(super) struct SamplePerson {
    pub title: Option<&'static str>,
    pub firstname: &'static str,
    pub lastname: &'static str,
    pub number: String,
    pub has_whatsapp: bool,
    pub alternate: Option<String>,
    pub email: Option<String>,
    pub born: Option<String>,
    pub address: Option<PostalAddress>,
    pub company: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct PostalAddress {
    pub line: String,
    pub second: Option<String>,
    pub city: &'static str,
    pub zip: String,
    pub state: Option<&'static str>,
    pub country: &'static str,
}

/// A country with its usual names, streets, towns and phone numbers.
struct CountryPopulation {
    country: &'static str,
    people: usize,
    given: &'static [&'static str],
    family: &'static [&'static str],
    streets: &'static [&'static str],
    /// City and state; the state is `None` in countries without states.
    cities: &'static [(&'static str, Option<&'static str>)],
    /// A pattern of postal codes: 9 stands for a random digit and A for a random letter. No such postal area is in use.
    zip: &'static str,
    /// Mobile ranges first; the other ranges are used only after these are used up.
    numbers: &'static [&'static [NumberRange]],
    /// The maximum number of mobile numbers used.
    mobile: usize,
    /// Further ranges, used when a crowd needs more numbers than the sample.
    more: &'static [NumberRange],
}

const GIVEN_EN: &[&str] = &[
    "Alex", "Alice", "Amelia", "Amir", "Anna", "Arthur", "Ben", "Charlie", "Chloe", "Daniel", "David", "Ella", "Emily",
    "Ethan", "Eva", "Freya", "George", "Grace", "Hannah", "Harry", "Imran", "Isla", "Jack", "James", "Jamie", "Joe",
    "Kate", "Leah", "Leo", "Lily", "Lucy", "Maria", "Max", "Maya", "Mia", "Mohammed", "Nadia", "Noah", "Nina",
    "Oliver", "Olivia", "Omar", "Oscar", "Priya", "Rachel", "Robin", "Rosa", "Ruby", "Sam", "Sara", "Sophie", "Tara",
    "Theo", "Thomas", "Tom", "Wei", "William", "Yasmin", "Zara", "Zoë",
];
const FAMILY_EN: &[&str] = &[
    "Adams", "Ahmed", "Allen", "Anderson", "Bailey", "Baker", "Bell", "Bennett", "Brown", "Campbell", "Carter", "Chen",
    "Clark", "Collins", "Cook", "Cooper", "Cox", "Davies", "Edwards", "Evans", "Fisher", "Foster", "Gray", "Green",
    "Hall", "Harris", "Hill", "Hughes", "Jackson", "James", "Johnson", "Jones", "Kelly", "Khan", "King", "Lee",
    "Lewis", "Martin", "Mason", "Miller", "Mitchell", "Moore", "Morgan", "Morris", "Murphy", "Murray", "O'Brien",
    "Parker", "Patel", "Phillips", "Price", "Reid", "Richards", "Roberts", "Robinson", "Rogers", "Scott", "Shaw",
    "Singh", "Smith", "Stevens", "Stewart", "Taylor", "Thomas", "Thompson", "Turner", "Walker", "Ward", "Watson",
    "White", "Williams", "Wilson", "Wood", "Wright", "Young",
];
const GIVEN_FR: &[&str] = &[
    "Adèle",
    "Alice",
    "Antoine",
    "Camille",
    "Chloé",
    "Clara",
    "Emma",
    "François",
    "Gabriel",
    "Hugo",
    "Inès",
    "Jeanne",
    "Jules",
    "Léa",
    "Louis",
    "Louise",
    "Lucas",
    "Manon",
    "Marie",
    "Mathis",
    "Nina",
    "Paul",
    "Romane",
    "Théo",
    "Zoé",
];
const FAMILY_FR: &[&str] = &[
    "Bernard", "Blanc", "Bonnet", "Dubois", "Dupont", "Durand", "Faure", "Fontaine", "Garnier", "Girard", "Lambert",
    "Laurent", "Leroy", "Martin", "Mercier", "Michel", "Moreau", "Morel", "Petit", "Richard", "Robert", "Rousseau",
    "Roux", "Simon", "Thomas",
];

const GIVEN_DE: &[&str] = &[
    "Anna", "Ben", "Clara", "David", "Elias", "Emma", "Felix", "Frieda", "Hannah", "Jakob", "Jonas", "Jörg", "Karin",
    "Lea", "Lena", "Leon", "Lukas", "Marie", "Max", "Mia", "Nele", "Paul", "Sabine", "Tim", "Uwe",
];
const FAMILY_DE: &[&str] = &[
    "Bauer",
    "Becker",
    "Braun",
    "Fischer",
    "Hartmann",
    "Hoffmann",
    "Klein",
    "Koch",
    "König",
    "Krüger",
    "Lange",
    "Meyer",
    "Müller",
    "Neumann",
    "Richter",
    "Schäfer",
    "Schmidt",
    "Schneider",
    "Schröder",
    "Schulz",
    "Wagner",
    "Weber",
    "Wolf",
];

const PLACES: &[CountryPopulation] = &[
    CountryPopulation {
        country: "United Kingdom",
        people: 1_900,
        given: GIVEN_EN,
        family: FAMILY_EN,
        streets: &[
            "Station Road",
            "Church Lane",
            "High Street",
            "Mill Lane",
            "Park Avenue",
            "The Green",
            "Victoria Road",
            "Orchard Close",
            "Queens Drive",
            "Bridge Street",
        ],
        cities: &[
            ("London", None),
            ("Leeds", None),
            ("Bristol", None),
            ("Cardiff", None),
            ("Glasgow", None),
            ("York", None),
            ("Norwich", None),
            ("Exeter", None),
        ],
        zip: "ZZ9 9AA",
        numbers: &[numbers::GB_MOBILE, numbers::GB_FIXED],
        mobile: numbers::GB_MOBILE_TAKEN,
        more: numbers::GB_MORE,
    },
    CountryPopulation {
        country: "United States",
        people: 800,
        given: GIVEN_EN,
        family: FAMILY_EN,
        streets: &["Main Street", "Oak Avenue", "Maple Drive", "Washington Street", "Lake Road", "2nd Avenue"],
        cities: &[
            ("Denver", Some("CO")),
            ("Seattle", Some("WA")),
            ("Austin", Some("TX")),
            ("Chicago", Some("IL")),
            ("Boston", Some("MA")),
            ("Portland", Some("OR")),
        ],
        zip: "00099",
        numbers: &[numbers::US],
        mobile: usize::MAX,
        more: &[],
    },
    CountryPopulation {
        country: "France",
        people: 220,
        given: GIVEN_FR,
        family: FAMILY_FR,
        streets: &["rue de la Gare", "rue du Moulin", "place de l'Église", "avenue des Tilleuls", "rue Pasteur"],
        cities: &[("Lyon", None), ("Nantes", None), ("Lille", None), ("Rennes", None), ("Dijon", None)],
        zip: "00999",
        // No numbering plan contains the French mobile numbers reserved for fiction, so they cannot be messaged.
        numbers: &[&[], numbers::FR_FIXED],
        mobile: 0,
        more: numbers::FR_MORE,
    },
    CountryPopulation {
        country: "Germany",
        people: 260,
        given: GIVEN_DE,
        family: FAMILY_DE,
        streets: &["Bahnhofstraße", "Hauptstraße", "Gartenweg", "Lindenallee", "Am Markt", "Schillerstraße"],
        cities: &[("Berlin", None), ("Hamburg", None), ("Köln", None), ("Leipzig", None), ("Freiburg", None)],
        zip: "00999",
        numbers: &[numbers::DE_MOBILE, numbers::DE_FIXED],
        mobile: usize::MAX,
        more: &[],
    },
    CountryPopulation {
        country: "Australia",
        people: 140,
        given: GIVEN_EN,
        family: FAMILY_EN,
        streets: &["Beach Road", "George Street", "Railway Parade", "Banksia Court", "Hill Street"],
        cities: &[("Sydney", Some("NSW")), ("Newcastle", Some("NSW")), ("Canberra", Some("ACT"))],
        zip: "0099",
        numbers: &[numbers::AU_MOBILE, numbers::AU_FIXED],
        mobile: 10,
        more: numbers::AU_MORE,
    },
];

const TITLES: &[&str] = &["Ms", "Mr", "Mrs", "Mx", "Dr"];
const TRADES: &[&str] =
    &["Bakery", "Books", "Cafe", "Cycles", "Design", "Florist", "Garage", "Gardens", "Joinery", "Kitchens", "Print"];
/// Domains reserved for examples: mail to them reaches nobody.
const DOMAINS: &[&str] = &["example.com", "example.org", "example.net"];

/// Generates all people of the sample in random order. No two share a number.
pub(super) fn make_people(chance: &mut StdRng) -> Vec<SamplePerson> {
    let mut all: Vec<SamplePerson> = PLACES.iter().flat_map(|place| place.make_people(chance)).collect();
    all.shuffle(chance);
    all
}

/// Returns how many people can each have a different number.
pub(super) fn count_numbers() -> usize {
    PLACES.iter().map(CountryPopulation::count_numbers).sum()
}

/// Generates the person with the number at position `at`, which must be below `count_numbers`.
pub(super) fn make_person_at(chance: &mut StdRng, mut at: usize) -> SamplePerson {
    let place = PLACES.iter().find(|place| {
        let is_there = at < place.count_numbers();
        at -= if is_there { 0 } else { place.count_numbers() };
        is_there
    });
    let place = place.unwrap_or(&PLACES[0]);
    let (number, is_mobile) = place.nth_number(at);
    place.make_person(chance, number, is_mobile)
}

impl CountryPopulation {
    /// Returns the ranges in order of use, each with how many of its numbers are used and whether they are mobile
    /// numbers.
    fn ranges(&self) -> impl Iterator<Item = (NumberRange, usize, bool)> {
        let kinds = self.numbers.iter().copied().enumerate().map(|(kind, ranges)| (ranges, kind == 0));
        kinds.chain([(self.more, false)]).flat_map(move |(ranges, is_mobile)| {
            ranges.iter().map(move |range| {
                let most = if is_mobile { self.mobile } else { usize::MAX };
                (*range, range.len().min(most), is_mobile)
            })
        })
    }

    fn count_numbers(&self) -> usize {
        self.ranges().map(|(_, most, _)| most).sum()
    }

    fn nth_number(&self, mut at: usize) -> (String, bool) {
        for (range, most, is_mobile) in self.ranges() {
            if at < most {
                return (range.nth_number(at), is_mobile);
            }
            at -= most;
        }
        (String::new(), false)
    }

    fn make_people(&self, chance: &mut StdRng) -> Vec<SamplePerson> {
        let mut numbers = Vec::with_capacity(self.people);
        for (kind, ranges) in self.numbers.iter().enumerate() {
            let most = if kind == 0 { self.mobile } else { usize::MAX };
            let mut these: Vec<String> =
                ranges.iter().flat_map(|range| (0..range.len()).map(|at| range.nth_number(at))).take(most).collect();
            these.shuffle(chance);
            these.truncate(self.people - numbers.len());
            numbers.extend(these.into_iter().map(|number| (number, kind == 0)));
        }
        numbers.into_iter().map(|(number, is_mobile)| self.make_person(chance, number, is_mobile)).collect()
    }

    fn make_person(&self, chance: &mut StdRng, number: String, is_mobile: bool) -> SamplePerson {
        let (firstname, lastname) = (one_of(chance, self.given), one_of(chance, self.family));
        let born = chance.random_bool(0.45).then(|| {
            let (year, month, day) =
                (chance.random_range(1948..2006), chance.random_range(1..=12), chance.random_range(1..=28));
            format!("{year}-{month:02}-{day:02}")
        });
        SamplePerson {
            title: chance.random_bool(0.3).then(|| *one_of(chance, TITLES)),
            firstname,
            lastname,
            number,
            has_whatsapp: is_mobile && chance.random_bool(0.4),
            alternate: chance.random_bool(0.06).then(|| numbers::GB_FIXED[0].nth_number(chance.random_range(0..1_000))),
            email: chance.random_bool(0.72).then(|| make_email(chance, firstname, lastname)),
            born,
            address: chance.random_bool(0.55).then(|| self.make_address(chance)),
            company: chance.random_bool(0.14).then(|| make_company(chance, lastname)),
        }
    }

    fn make_address(&self, chance: &mut StdRng) -> PostalAddress {
        let (house, street) = (chance.random_range(1..180), one_of(chance, self.streets));
        let (city, state) = *one_of(chance, self.cities);
        let zip = self.zip.chars().map(|c| match c {
            '9' => char::from(b'0' + chance.random_range(0..10_u8)),
            'A' => char::from(b'A' + chance.random_range(0..26_u8)),
            fixed => fixed,
        });
        PostalAddress {
            zip: zip.collect(),
            line: format!("{house} {street}"),
            second: chance.random_bool(0.15).then(|| format!("Flat {}", chance.random_range(1..40))),
            city,
            state,
            country: self.country,
        }
    }
}

pub(super) fn one_of<'a, T>(chance: &mut StdRng, of: &'a [T]) -> &'a T {
    &of[chance.random_range(0..of.len())]
}

fn make_email(chance: &mut StdRng, firstname: &str, lastname: &str) -> String {
    let number = if chance.random_bool(0.6) { chance.random_range(1..100).to_string() } else { String::new() };
    let domain = one_of(chance, DOMAINS);
    let (first, last) = (to_plain_letters(firstname), to_plain_letters(lastname));
    match chance.random_range(0..3) {
        0 => format!("{first}.{last}{number}@{domain}"),
        1 => format!("{first}{number}@{domain}"),
        _ => format!("{}{last}{number}@{domain}", &first[..1]),
    }
}

fn make_company(chance: &mut StdRng, lastname: &str) -> String {
    match chance.random_range(0..3) {
        0 => format!("{lastname} & {}", one_of(chance, FAMILY_EN)),
        1 => format!("{lastname} {} Ltd", one_of(chance, TRADES)),
        _ => format!("{lastname}'s {}", one_of(chance, TRADES)),
    }
}

/// Returns a name as it appears in an email address: lower-case letters without accents.
fn to_plain_letters(name: &str) -> String {
    let letter = |c: char| match c {
        'à' | 'â' | 'ä' => Some('a'),
        'ç' => Some('c'),
        'è' | 'é' | 'ê' | 'ë' => Some('e'),
        'ï' | 'î' => Some('i'),
        'ô' | 'ö' => Some('o'),
        'ü' => Some('u'),
        c if c.is_ascii_alphabetic() => Some(c),
        _ => None,
    };
    name.to_lowercase().chars().filter_map(letter).collect()
}
