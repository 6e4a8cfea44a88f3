-- Working without the service, then pushing. What is here is the other tables' standing to the service: a record that
-- both sides have alike stands in none of these tables.
-- place is the number of a table under watch (row_changes): 1 senders, 5 lists, 6 contacts, 7 opt_outs, 8 short_links.
-- cells is a JSON object of the values that can be sent, by name, without the empty ones.

-- The service this account belongs to. The key itself stands elsewhere; key_at tells where. The last four are JSON.
CREATE TABLE connection (
    id           INTEGER PRIMARY KEY CHECK (id = 1),
    uid          TEXT NOT NULL,
    name         TEXT NOT NULL,
    base_url     TEXT NOT NULL,
    header       TEXT NOT NULL,
    key_at       TEXT CHECK (key_at IN ('keyring', 'sealed')),
    read_only    INTEGER NOT NULL DEFAULT 0,
    plain_http   INTEGER NOT NULL DEFAULT 0,
    paths        TEXT NOT NULL DEFAULT '{}',
    rates        TEXT NOT NULL DEFAULT '{}',
    capabilities TEXT NOT NULL DEFAULT '{}',
    learnt       TEXT NOT NULL DEFAULT '{}'
) STRICT;

-- Records that the service knows by another identifier than they have here.
CREATE TABLE sync_ids (
    place      INTEGER NOT NULL,
    id         INTEGER NOT NULL,
    remote_uid TEXT NOT NULL,
    PRIMARY KEY (place, id),
    UNIQUE (place, remote_uid)
) STRICT, WITHOUT ROWID;

-- What both sides last agreed on, for what was changed here since: without cells, it was made here. An opt-out's id is
-- its number, channel and scope.
CREATE TABLE sync_base (
    place INTEGER NOT NULL,
    id    ANY NOT NULL,
    list  INTEGER,
    uid   TEXT,
    cells TEXT,
    PRIMARY KEY (place, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX sync_base_by_list ON sync_base (list) WHERE list IS NOT NULL;
CREATE INDEX sync_base_by_uid ON sync_base (place, uid) WHERE uid IS NOT NULL;

-- What the service has, where that could not be merged: without cells, it is gone there.
CREATE TABLE sync_remote (
    place INTEGER NOT NULL,
    id    ANY NOT NULL,
    cells TEXT,
    PRIMARY KEY (place, id)
) STRICT, WITHOUT ROWID;

-- What a person decided about a record. about is a field, 'row', 'choice' or 'held'; answer is JSON.
CREATE TABLE sync_answers (
    place  INTEGER NOT NULL,
    id     ANY NOT NULL,
    about  TEXT NOT NULL,
    answer TEXT NOT NULL,
    PRIMARY KEY (place, id, about)
) STRICT, WITHOUT ROWID;

-- How disputes about a column are settled without asking; the column '' is for deletions.
CREATE TABLE sync_rules (
    field TEXT PRIMARY KEY,
    rule  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- When a part of the service was last read, and how far a reading under way has come. A scope is a list's id, or 0 for
-- all of a place. marker is the service's own time of what was read: the list's, or the newest record's.
CREATE TABLE sync_scopes (
    place      INTEGER NOT NULL,
    scope      INTEGER NOT NULL,
    total      INTEGER,
    marker     TEXT,
    checked_at INTEGER,
    full_at    INTEGER,
    page       INTEGER NOT NULL DEFAULT 0,
    claimed    INTEGER,
    PRIMARY KEY (place, scope)
) STRICT, WITHOUT ROWID;

-- The rows of a reading under way. times is the service's: made, changed.
CREATE TABLE sync_seen (
    place      INTEGER NOT NULL,
    scope      INTEGER NOT NULL,
    remote_uid TEXT NOT NULL,
    cells      TEXT NOT NULL,
    made_at    INTEGER,
    changed_at INTEGER,
    PRIMARY KEY (place, scope, remote_uid)
) STRICT, WITHOUT ROWID;

-- A plan as it was shown, with the digest of what it was made from. body is JSON.
CREATE TABLE sync_plans (
    id    INTEGER PRIMARY KEY AUTOINCREMENT,
    at    INTEGER NOT NULL,
    input TEXT NOT NULL,
    body  TEXT NOT NULL
) STRICT;

CREATE TABLE sync_runs (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    plan       INTEGER NOT NULL REFERENCES sync_plans (id),
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    state      TEXT NOT NULL CHECK (state IN ('running', 'paused', 'cancelled', 'done', 'in_doubt')),
    why        TEXT
) STRICT;

-- body is the step as it is sent; rows that were refused are not in it any more.
CREATE TABLE sync_steps (
    run    INTEGER NOT NULL REFERENCES sync_runs (id),
    step   INTEGER NOT NULL,
    body   TEXT NOT NULL,
    state  TEXT NOT NULL,
    why    TEXT,
    PRIMARY KEY (run, step)
) STRICT, WITHOUT ROWID;

-- A row is committed before its request leaves; one without an end was cut off.
CREATE TABLE sync_attempts (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    run       INTEGER NOT NULL REFERENCES sync_runs (id),
    step      INTEGER NOT NULL,
    body_hash TEXT NOT NULL,
    began_at  INTEGER NOT NULL,
    ended_at  INTEGER,
    verdict   TEXT,
    status    INTEGER,
    code      TEXT,
    trace_id  TEXT
) STRICT;

CREATE INDEX sync_attempts_by_step ON sync_attempts (run, step);

-- Records that the service refused, as they were then: held back until they are changed here. faults is JSON.
CREATE TABLE sync_quarantine (
    place  INTEGER NOT NULL,
    id     ANY NOT NULL,
    run    INTEGER NOT NULL REFERENCES sync_runs (id),
    cells  TEXT NOT NULL,
    faults TEXT NOT NULL,
    PRIMARY KEY (place, id)
) STRICT, WITHOUT ROWID;

-- Whoever reads or changes the service holds this; one that does not beat is dead.
CREATE TABLE sync_lease (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    owner TEXT NOT NULL,
    beat  INTEGER NOT NULL
) STRICT;

-- Every effect on the service, each entry sealing the one before it. Rows are only ever added. body is JSON.
CREATE TABLE audit (
    seq    INTEGER PRIMARY KEY,
    run    INTEGER,
    body   TEXT NOT NULL,
    before TEXT NOT NULL,
    seal   TEXT NOT NULL
) STRICT;

CREATE INDEX audit_by_run ON audit (run);

CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN
    SELECT raise(ABORT, 'the record of what was done at the service is never changed');
END;

CREATE TRIGGER audit_keeps BEFORE DELETE ON audit BEGIN
    SELECT raise(ABORT, 'the record of what was done at the service is never shortened');
END;
