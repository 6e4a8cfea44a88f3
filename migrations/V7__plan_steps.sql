-- The steps of a plan, each in a row of its own: together they may hold every contact of the account. body is JSON.
CREATE TABLE sync_plan_steps (
    plan INTEGER NOT NULL REFERENCES sync_plans (id),
    step INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (plan, step)
) STRICT, WITHOUT ROWID;

INSERT INTO sync_plan_steps (plan, step, body)
SELECT p.id, s.key, json_array(json_extract(s.value, '$.after'), json(s.value))
FROM sync_plans AS p, json_each(iif(json_valid(p.body), p.body, '{}'), '$.steps') AS s;

UPDATE sync_plans SET body = json_remove(body, '$.steps') WHERE json_valid(body);
