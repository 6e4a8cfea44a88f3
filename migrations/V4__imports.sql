-- What was imported, what was refused on the way, and which columns meant what. None of it is ever sent.

-- An import that was accepted. `of` is the import whose refused rows it took, `reverted_by` the step that took it back.
-- told (what it came to), heads (names of columns) and mapping are JSON.
CREATE TABLE imports (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    step        INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    list_uid    TEXT NOT NULL,
    list_name   TEXT NOT NULL,
    name        TEXT NOT NULL,
    kind        TEXT NOT NULL,
    of          INTEGER,
    told        TEXT NOT NULL,
    heads       TEXT NOT NULL,
    mapping     TEXT NOT NULL,
    reverted_by INTEGER
) STRICT;

-- Rows that were refused, as they stood in the file, to be mended. place is the line of the file, flags are those of its
-- reader, cells is a JSON array.
CREATE TABLE import_rejects (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    import_id INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
    row       INTEGER NOT NULL,
    place     INTEGER NOT NULL,
    flags     INTEGER NOT NULL,
    cells     TEXT NOT NULL
) STRICT;

CREATE INDEX import_rejects_by_import ON import_rejects (import_id, id);

-- What the columns of a file meant: under a name, or (with an empty one) remembered for files with the same columns.
CREATE TABLE import_maps (
    name      TEXT NOT NULL,
    signature TEXT NOT NULL,
    profile   TEXT NOT NULL,
    used_at   INTEGER NOT NULL,
    PRIMARY KEY (name, signature)
) STRICT, WITHOUT ROWID;

CREATE INDEX import_maps_by_signature ON import_maps (signature, used_at);

-- Many rows made at once are remembered as a range of keys (kind 4).
CREATE INDEX row_changes_ranges ON row_changes (place, key) WHERE kind = 4;
