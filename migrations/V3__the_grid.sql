-- What the grid keeps beside the contacts: cells that were typed and that a rule refuses, and views to look through
-- again. None of it is ever sent.

-- Shown in place of the value, with the rule's words, until the cell gets a valid one.
CREATE TABLE drafts (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    contact_id INTEGER NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
    field      TEXT NOT NULL,
    text       TEXT NOT NULL,
    UNIQUE (contact_id, field)
) STRICT;

-- A filter, an order and a lay-out under a name. spec is JSON.
CREATE TABLE saved_views (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    uid      TEXT NOT NULL UNIQUE,
    list_id  INTEGER REFERENCES lists (id) ON DELETE CASCADE,
    name     TEXT NOT NULL,
    spec     TEXT NOT NULL,
    position INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX saved_views_by_list ON saved_views (list_id, position, id);
