/**
 * Nodes, whose rows are their leases; pauses; and suppressions in the order they were made, so that what is new among
 * them is found without reading the rest. What was leased in the first schema belongs to no node, so it is taken back.
 */
export const sql = `
CREATE TABLE nodes (
  token      INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  roles      TEXT NOT NULL,
  timeout_ms INTEGER NOT NULL,
  since      INTEGER NOT NULL,
  beats      INTEGER NOT NULL DEFAULT 0
) STRICT;
DROP TABLE leases;

-- Company 0 stands for all companies, the empty domain for all domains.
CREATE TABLE pauses (
  company INTEGER NOT NULL,
  domain  TEXT NOT NULL,
  since   INTEGER NOT NULL,
  PRIMARY KEY (company, domain)
) STRICT, WITHOUT ROWID;

ALTER TABLE suppressions ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
CREATE INDEX suppressions_by_seq ON suppressions (seq);
INSERT INTO counters (name, value) VALUES ('suppressions', 0);
`
