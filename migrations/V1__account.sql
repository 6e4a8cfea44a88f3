-- One account: what the service keeps for its holder, and the work in flight.
-- Times are whole seconds since 1970 in UTC. Texts named *_folded are the
-- Unicode lower case of their neighbour, made in Rust, for search and order.

PRAGMA application_id = 0x526f6f73; -- "Roos"

CREATE TABLE senders (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    name_folded TEXT NOT NULL UNIQUE,
    status      TEXT NOT NULL CHECK (status IN ('Pending', 'Verified'))
) STRICT, WITHOUT ROWID;

CREATE TABLE assets (
    id      TEXT PRIMARY KEY,
    channel TEXT NOT NULL CHECK (channel IN ('SMS', 'WHATSAPP')),
    number  TEXT NOT NULL,
    enforce_account_level_opt_outs INTEGER NOT NULL DEFAULT 0,
    UNIQUE (channel, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE asset_keywords (
    asset_id TEXT NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    keyword  TEXT NOT NULL,
    PRIMARY KEY (asset_id, position)
) STRICT, WITHOUT ROWID;

-- A removed field keeps its row, because its number is never used again.
-- Each field has a column field_<number> in contacts.
CREATE TABLE custom_fields (
    number  INTEGER PRIMARY KEY,
    label   TEXT NOT NULL,
    removed INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO custom_fields (number, label) VALUES (1, 'Field 1'), (2, 'Field 2'), (3, 'Field 3');

-- contact_count is kept beside the contacts, because counting a million rows
-- for every page is too slow.
CREATE TABLE lists (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    uid           TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    name_folded   TEXT NOT NULL,
    contact_count INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT;

CREATE INDEX lists_by_update ON lists (updated_at, uid);
CREATE INDEX lists_by_creation ON lists (created_at, uid);
CREATE INDEX lists_by_name ON lists (name_folded, uid);

-- Every text may be null: empty. At least one number is there. Columns of
-- custom fields come last, so that a new one is added without a rewrite.
CREATE TABLE contacts (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    uid             TEXT NOT NULL UNIQUE,
    list_id         INTEGER NOT NULL REFERENCES lists (id),
    phone           TEXT,
    phone_region    TEXT,
    whatsapp        TEXT,
    whatsapp_region TEXT,
    title           TEXT,
    firstname       TEXT,
    lastname        TEXT,
    date_of_birth   TEXT,
    address_1       TEXT,
    address_2       TEXT,
    city            TEXT,
    zip             TEXT,
    state           TEXT,
    country         TEXT,
    company_name    TEXT,
    email_address   TEXT,
    alternate_phone TEXT,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER,
    field_1         TEXT,
    field_2         TEXT,
    field_3         TEXT,
    CHECK (phone IS NOT NULL OR whatsapp IS NOT NULL)
) STRICT;

CREATE INDEX contacts_by_age ON contacts (list_id, created_at, uid);
CREATE INDEX contacts_by_phone ON contacts (list_id, phone) WHERE phone IS NOT NULL;
CREATE INDEX contacts_by_whatsapp ON contacts (list_id, whatsapp) WHERE whatsapp IS NOT NULL;

-- The submitted contacts wait in one blob, so that queueing ten thousand is one
-- write; it is emptied when the job has run.
CREATE TABLE jobs (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    list_uid       TEXT NOT NULL,
    list_name      TEXT NOT NULL,
    merge_type     TEXT NOT NULL,
    callback_url   TEXT,
    correlation_id TEXT,
    contact_count  INTEGER NOT NULL,
    state          TEXT NOT NULL CHECK (state IN ('queued', 'done')),
    imported       INTEGER NOT NULL DEFAULT 0,
    merged         INTEGER NOT NULL DEFAULT 0,
    skipped        INTEGER NOT NULL DEFAULT 0,
    failed         INTEGER NOT NULL DEFAULT 0,
    queued_at      INTEGER NOT NULL,
    finished_at    INTEGER,
    contacts       BLOB
) STRICT;

CREATE INDEX jobs_waiting ON jobs (id) WHERE state = 'queued';

-- contact_id is null for a contact that was not stored, and may outlive its contact.
CREATE TABLE job_outcomes (
    job_id     INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    outcome    INTEGER NOT NULL,
    contact_id INTEGER,
    PRIMARY KEY (job_id, position)
) STRICT, WITHOUT ROWID;

-- The outbox: written with the job's result, sent afterwards. The body follows
-- from the job, which no longer changes.
CREATE TABLE callbacks (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id   INTEGER NOT NULL UNIQUE REFERENCES jobs (id) ON DELETE CASCADE,
    state    TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'given_up')),
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at  INTEGER
) STRICT;

CREATE INDEX callbacks_waiting ON callbacks (next_at, id) WHERE state = 'waiting';

-- A row is written before its request leaves; one without an end was cut off.
CREATE TABLE callback_attempts (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    callback_id INTEGER NOT NULL REFERENCES callbacks (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    started_at  INTEGER NOT NULL,
    finished_at INTEGER,
    status      INTEGER,
    error       TEXT
) STRICT;

CREATE INDEX callback_attempts_by_callback ON callback_attempts (callback_id, number);

-- scope is empty for the account, else an asset's id. asset_id is the asset
-- behind the record: its scope, or the receiver of the keyword. The id grows
-- with every creation and settles ties in time.
CREATE TABLE opt_outs (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    number       TEXT NOT NULL,
    channel      TEXT NOT NULL CHECK (channel IN ('SMS', 'WHATSAPP')),
    scope        TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('keyword', 'web_opt_out', 'account_import', 'api_import')),
    asset_id     TEXT,
    asset_number TEXT,
    time         INTEGER NOT NULL,
    UNIQUE (number, channel, scope)
) STRICT;

CREATE INDEX opt_outs_by_time ON opt_outs (time, id);
CREATE INDEX opt_outs_by_asset ON opt_outs (asset_id, time, id) WHERE asset_id IS NOT NULL;

CREATE TABLE short_links (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    uid          TEXT NOT NULL UNIQUE,
    title        TEXT NOT NULL,
    target_url   TEXT NOT NULL,
    code         TEXT NOT NULL UNIQUE,
    base         TEXT,
    tags         TEXT NOT NULL DEFAULT '[]',
    created_at   INTEGER NOT NULL,
    track_clicks INTEGER NOT NULL
) STRICT;

CREATE INDEX short_links_by_creation ON short_links (created_at, uid);

-- Every code ever given out: none is used again.
CREATE TABLE short_codes (
    code TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Title and addresses as they were when the link was opened.
CREATE TABLE clicks (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    link_id          INTEGER NOT NULL REFERENCES short_links (id) ON DELETE CASCADE,
    title            TEXT NOT NULL,
    short_link_url   TEXT NOT NULL,
    target_url       TEXT NOT NULL,
    recipient        TEXT,
    device           TEXT,
    browser          TEXT,
    operating_system TEXT,
    campaign_uid     TEXT,
    time             INTEGER NOT NULL
) STRICT;

CREATE INDEX clicks_by_link ON clicks (link_id, time, id);

-- Who changed what. A bulk act is one row with its count.
CREATE TABLE changes (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    source TEXT NOT NULL,
    noun   TEXT NOT NULL,
    action TEXT NOT NULL,
    uid    TEXT,
    count  INTEGER NOT NULL DEFAULT 1
) STRICT;
