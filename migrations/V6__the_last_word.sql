-- An opt-out leaves the account only through a door that somebody opened with a warrant:
--   confirmed  a person confirmed the removal with the count and a reason
--   service    the service was seen without it, or removed it when it was asked to
--   interface  a request of the interface removed it, where this account is the service
--   account    the account was emptied or replaced as a whole
--   renewed    a newer record of the same number, channel and scope took its place
-- The door is open while this table has a row, within one transaction.
CREATE TABLE opt_out_door (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    warrant TEXT NOT NULL CHECK (warrant IN ('confirmed', 'service', 'interface', 'account', 'renewed'))
) STRICT;

CREATE TRIGGER opt_outs_stay BEFORE DELETE ON opt_outs
WHEN NOT EXISTS (SELECT 1 FROM opt_out_door) BEGIN
    SELECT raise(ABORT, 'an opt-out leaves the account only with a warrant');
END;

CREATE TRIGGER opt_outs_keep_their_number BEFORE UPDATE OF number, channel, scope ON opt_outs
WHEN old.number <> new.number OR old.channel <> new.channel OR old.scope <> new.scope BEGIN
    SELECT raise(ABORT, 'the number, channel and scope of an opt-out never change');
END;

ALTER TABLE opt_out_events ADD COLUMN warrant TEXT;

DROP TRIGGER opt_outs_go;

CREATE TRIGGER opt_outs_go AFTER DELETE ON opt_outs BEGIN
    INSERT INTO opt_out_events (at, source, step, action, number, channel, scope, kind, asset_id, asset_number, opted_out_at, reason, warrant)
    SELECT at, source, id, 'removed', old.number, old.channel, old.scope, old.kind, old.asset_id, old.asset_number, old.time, reason,
           (SELECT warrant FROM opt_out_door)
    FROM steps ORDER BY id DESC LIMIT 1;
END;
