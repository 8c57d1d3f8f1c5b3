/**
 * The lists of suppressed and allowed addresses have entries of each sending domain, beside those of the whole company.
 */
export const sql = `
CREATE TABLE suppressions_of_domains (
  id         TEXT NOT NULL UNIQUE,
  company    INTEGER NOT NULL REFERENCES companies (num),
  address    TEXT NOT NULL COLLATE NOCASE,
  type       TEXT NOT NULL,
  -- The sending domain whose list has the entry; '': that of the company.
  domain_id  TEXT NOT NULL DEFAULT '',
  -- tags: the only tags that the address is unsubscribed from, in JSON. marks: how they appear in the text of an
  -- email's tags (marksOf).
  tags       TEXT,
  marks      TEXT,
  reason     TEXT NOT NULL,
  code       INTEGER,
  email_id   TEXT,
  created_at INTEGER NOT NULL,
  -- The counter 'suppressions', by which nodes find what is new to them.
  seq        INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (company, address, type, domain_id)
) STRICT, WITHOUT ROWID;
INSERT INTO suppressions_of_domains (id, company, address, type, domain_id, tags, marks, reason, code, email_id, created_at, seq)
  SELECT id, company, address, type, coalesce(domain_id, ''), tags, marks, reason, code, email_id, created_at, seq FROM suppressions;
DROP TABLE suppressions;
ALTER TABLE suppressions_of_domains RENAME TO suppressions;
CREATE INDEX suppressions_by_seq ON suppressions (seq);
CREATE INDEX suppressions_newest ON suppressions (company, type, id);
CREATE INDEX suppressions_by_address ON suppressions (company, type, address);
CREATE INDEX suppressions_newest_of_domain ON suppressions (company, type, domain_id, id) WHERE domain_id <> '';
CREATE INDEX suppressions_by_address_of_domain ON suppressions (company, type, domain_id, address) WHERE domain_id <> '';

CREATE TABLE allowed_of_domains (
  company    INTEGER NOT NULL REFERENCES companies (num),
  value      TEXT NOT NULL COLLATE NOCASE,
  -- As in suppressions.
  domain_id  TEXT NOT NULL DEFAULT '',
  kind       TEXT NOT NULL,
  reason     TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (company, value, domain_id)
) STRICT, WITHOUT ROWID;
INSERT INTO allowed_of_domains (company, value, kind, reason, created_at)
  SELECT company, value, kind, reason, created_at FROM allowed;
DROP TABLE allowed;
ALTER TABLE allowed_of_domains RENAME TO allowed;
CREATE INDEX allowed_of_domain ON allowed (company, domain_id, value) WHERE domain_id <> '';

-- Recipients whose mailbox was full, for as long as they count.
CREATE TABLE full_mailboxes (
  company  INTEGER NOT NULL REFERENCES companies (num),
  address  TEXT NOT NULL COLLATE NOCASE,
  email    INTEGER NOT NULL,
  position INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  PRIMARY KEY (company, address, email, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX full_mailboxes_by_age ON full_mailboxes (at);
`
