/**
 * Events have one order for all nodes: a number from one sequence. A transaction has its id before it draws a number,
 * so that who follows the log can tell when nothing more will come below a number (../events.ts). What is there is
 * numbered in order of time.
 */
export const sql = `
ALTER TABLE events RENAME TO unnumbered_events;
ALTER TABLE unnumbered_events RENAME CONSTRAINT events_pkey TO unnumbered_events_pkey;
-- CACHE 1: no session keeps numbers for later.
CREATE SEQUENCE events_number_seq;
CREATE TABLE events (
  number    bigint NOT NULL DEFAULT (CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('events_number_seq') END),
  email     uuid NOT NULL,
  company   integer NOT NULL,
  recipient integer,
  at        bigint NOT NULL,
  type      text NOT NULL,
  detail    text
);
ALTER SEQUENCE events_number_seq OWNED BY events.number;
INSERT INTO events (email, company, recipient, at, type, detail)
  SELECT v.email, e.company, v.recipient, v.at, v.type, v.detail
  FROM unnumbered_events v JOIN emails e ON e.id = v.email ORDER BY v.at, v.seq;
DROP TABLE unnumbered_events;
ALTER TABLE events ADD PRIMARY KEY (number);
CREATE INDEX events_by_email ON events (email);
`
