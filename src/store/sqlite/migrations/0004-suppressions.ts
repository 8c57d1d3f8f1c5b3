/**
 * Suppressions have a type, and may be there for some tags only; companies have limits.
 *
 * - `suppressions.marks`: what the tags are in the text of an email's own tags (`marksOf`). A lookup by company and
 *   address gives the types in their order.
 * - `allowed`: addresses and domains that bounces do not suppress.
 * - `quotas`: how many recipients a company had on one day (`2026-11-20`) and in one month (`2026-11`), in UTC. A row
 *   for each company that has a quota.
 * - `idempotency.emails`: ids and Message-IDs, as JSON, of all emails that came with the key in one request; NULL: it
 *   was one.
 */
export const sql = `
CREATE TABLE suppressions_with_type (
  id         TEXT NOT NULL UNIQUE,
  company    INTEGER NOT NULL REFERENCES companies (num),
  address    TEXT NOT NULL COLLATE NOCASE,
  type       TEXT NOT NULL,
  tags       TEXT,
  marks      TEXT,
  reason     TEXT NOT NULL,
  code       INTEGER,
  email_id   TEXT,
  domain_id  TEXT,
  created_at INTEGER NOT NULL,
  -- In the order they were made, so that nodes find what is new to them without reading the rest.
  seq        INTEGER NOT NULL,
  PRIMARY KEY (company, address, type)
) STRICT, WITHOUT ROWID;
INSERT INTO suppressions_with_type (id, company, address, type, reason, created_at, email_id, seq)
SELECT substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-4' || substr(h, 14, 3) || '-8' || substr(h, 18, 3) || '-' || substr(h, 21),
  company, address, iif(email_id IS NULL, 'manual', 'bounce'), reason, created_at, email_id, seq
FROM (SELECT *, lower(hex(randomblob(16))) AS h FROM suppressions);
DROP TABLE suppressions;
ALTER TABLE suppressions_with_type RENAME TO suppressions;
CREATE INDEX suppressions_by_seq ON suppressions (seq);
CREATE INDEX suppressions_newest ON suppressions (company, type, id);
CREATE INDEX suppressions_by_address ON suppressions (company, type, address);

CREATE TABLE allowed (
  company    INTEGER NOT NULL REFERENCES companies (num),
  value      TEXT NOT NULL COLLATE NOCASE,
  kind       TEXT NOT NULL,
  reason     TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (company, value)
) STRICT, WITHOUT ROWID;

ALTER TABLE companies ADD COLUMN rate_limit INTEGER;
ALTER TABLE companies ADD COLUMN daily_limit INTEGER;
ALTER TABLE companies ADD COLUMN monthly_limit INTEGER;

CREATE TABLE quotas (
  company INTEGER PRIMARY KEY,
  day     TEXT NOT NULL,
  daily   INTEGER NOT NULL,
  month   TEXT NOT NULL,
  monthly INTEGER NOT NULL
) STRICT;

ALTER TABLE idempotency ADD COLUMN emails TEXT;
`
