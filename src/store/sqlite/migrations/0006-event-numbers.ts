/**
 * Events have one order for the whole database: a follower goes on behind the number it has seen. The counter is the
 * number of the last one, which outlives the events that retention removes. Those that are there keep their order
 * within each email.
 */
export const sql = `
CREATE TABLE numbered_events (
  number    INTEGER PRIMARY KEY,
  email     INTEGER NOT NULL,
  company   INTEGER NOT NULL,
  recipient INTEGER,
  type      TEXT NOT NULL,
  at        INTEGER NOT NULL,
  detail    TEXT
) STRICT;
INSERT INTO numbered_events (email, company, recipient, type, at, detail)
SELECT v.email, e.company, v.recipient, v.type, v.at, v.detail
FROM events v CROSS JOIN emails e ON e.num = v.email ORDER BY v.email, v.seq;
DROP TABLE events;
ALTER TABLE numbered_events RENAME TO events;
CREATE INDEX events_by_email ON events (email);
INSERT INTO counters (name, value) SELECT 'events', coalesce(max(number), 0) FROM events;
`
