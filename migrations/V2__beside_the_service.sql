-- What the program keeps beside the service's own records: names and notes of the holder's own, and a memory of
-- every change. None of it is ever sent.

-- About the account itself: its name, its colour.
CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What a page wants to find again: columns, widths, the screen it showed.
CREATE TABLE ui_state (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE list_notes (
    list_id   INTEGER PRIMARY KEY REFERENCES lists (id) ON DELETE CASCADE,
    alias     TEXT,
    note      TEXT,
    pinned_at INTEGER
) STRICT;

-- The order on screen; null stands behind those that have one, by number.
ALTER TABLE custom_fields ADD COLUMN position INTEGER;

-- Every transaction that changed something. A step of a person can be undone, and redone until a new act drops it;
-- `note` is a step that is only told: undoing and redoing. `of` is the step it undid, redid or restored. `trash` is
-- the noun that the step deleted, `restored_by` the step that brought it back. Its rows in row_changes stand between
-- first_row and last_row.
CREATE TABLE steps (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    at        INTEGER NOT NULL,
    source    TEXT NOT NULL,
    act       TEXT NOT NULL,
    subject   TEXT,
    uid       TEXT,
    count     INTEGER NOT NULL DEFAULT 1,
    reason    TEXT,
    state     TEXT NOT NULL CHECK (state IN ('done', 'undone', 'dropped', 'note')),
    of        INTEGER,
    trash     TEXT,
    restored_by INTEGER,
    first_row INTEGER,
    last_row  INTEGER
) STRICT;

CREATE INDEX steps_of_people ON steps (state, id) WHERE source IN ('user', 'import') AND first_row IS NOT NULL;
CREATE INDEX steps_in_trash ON steps (id) WHERE trash IS NOT NULL AND first_row IS NOT NULL;
CREATE INDEX steps_remembered ON steps (last_row) WHERE first_row IS NOT NULL;

-- One changed row: what undoes it. The form of data is told in the store's `row_changes`.
CREATE TABLE row_changes (
    id    INTEGER PRIMARY KEY,
    step  INTEGER NOT NULL,
    place INTEGER NOT NULL,
    kind  INTEGER NOT NULL,
    key   ANY NOT NULL,
    data  BLOB
) STRICT;

CREATE INDEX row_changes_by_record ON row_changes (place, key, id);

ALTER TABLE changes ADD COLUMN step INTEGER;

CREATE INDEX changes_by_step ON changes (step);

-- The evidence: every opt-out that came or went, and why. Rows are only ever added.
CREATE TABLE opt_out_events (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    at           INTEGER NOT NULL,
    source       TEXT NOT NULL,
    step         INTEGER NOT NULL,
    action       TEXT NOT NULL CHECK (action IN ('known', 'added', 'removed')),
    number       TEXT NOT NULL,
    channel      TEXT NOT NULL,
    scope        TEXT NOT NULL,
    kind         TEXT NOT NULL,
    asset_id     TEXT,
    asset_number TEXT,
    opted_out_at INTEGER NOT NULL,
    reason       TEXT
) STRICT;

CREATE INDEX opt_out_events_by_number ON opt_out_events (number, id);

-- What was there before the ledger began.
INSERT INTO opt_out_events (at, source, step, action, number, channel, scope, kind, asset_id, asset_number, opted_out_at)
SELECT time, 'interface', 0, 'known', number, channel, scope, kind, asset_id, asset_number, time FROM opt_outs ORDER BY id;

CREATE TRIGGER opt_outs_come AFTER INSERT ON opt_outs BEGIN
    INSERT INTO opt_out_events (at, source, step, action, number, channel, scope, kind, asset_id, asset_number, opted_out_at, reason)
    SELECT at, source, id, 'added', new.number, new.channel, new.scope, new.kind, new.asset_id, new.asset_number, new.time, reason
    FROM steps ORDER BY id DESC LIMIT 1;
END;

CREATE TRIGGER opt_outs_go AFTER DELETE ON opt_outs BEGIN
    INSERT INTO opt_out_events (at, source, step, action, number, channel, scope, kind, asset_id, asset_number, opted_out_at, reason)
    SELECT at, source, id, 'removed', old.number, old.channel, old.scope, old.kind, old.asset_id, old.asset_number, old.time, reason
    FROM steps ORDER BY id DESC LIMIT 1;
END;
