/**
 * The first schema.
 *
 * - Times are Unix milliseconds. Lists and small maps are JSON text; NULL stands for an empty one.
 * - Ids seen outside (UUIDv7 text) are kept once; inside, an email and a company go by a small integer (`num`), which
 *   keeps the rows of an email side by side and inserts at the right edge of each tree.
 * - Partial indexes cover live work only (`waiting`, `leased`), so their size does not grow with history.
 */
export const sql = `
CREATE TABLE companies (
  num        INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  name       TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE domains (
  id         TEXT PRIMARY KEY,
  company    INTEGER NOT NULL REFERENCES companies (num),
  name       TEXT NOT NULL UNIQUE,
  status     TEXT NOT NULL,
  sending    TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE dkim_keys (
  domain_id          TEXT NOT NULL REFERENCES domains (id),
  position           INTEGER NOT NULL,
  id                 TEXT NOT NULL UNIQUE,
  selector           TEXT NOT NULL,
  algorithm          TEXT NOT NULL,
  public_key         TEXT NOT NULL,
  sealed_private_key BLOB NOT NULL,
  PRIMARY KEY (domain_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
  id         TEXT PRIMARY KEY,
  company    INTEGER NOT NULL REFERENCES companies (num),
  name       TEXT NOT NULL,
  token_hash BLOB NOT NULL UNIQUE,
  scopes     TEXT NOT NULL,
  domain_id  TEXT REFERENCES domains (id),
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;

-- One small row an email; what is large about it lies in contents and blobs.
CREATE TABLE emails (
  num           INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  company       INTEGER NOT NULL REFERENCES companies (num),
  domain_id     TEXT NOT NULL,
  key_id        TEXT NOT NULL,
  sender        TEXT NOT NULL,
  header_from   TEXT NOT NULL,
  header_to     TEXT,
  header_cc     TEXT,
  bcc           TEXT,
  reply_to      TEXT,
  subject       TEXT NOT NULL,
  headers       TEXT,
  message_id    TEXT NOT NULL,
  date          INTEGER NOT NULL,
  tags          TEXT,
  variables     TEXT,
  individual    INTEGER NOT NULL,
  test_mode     INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  scheduled_at  INTEGER,
  size          INTEGER NOT NULL,
  -- 0 until the event 'sent' is written: at once, or with the first claim of a scheduled email.
  sent          INTEGER NOT NULL,
  last_event    TEXT NOT NULL,
  last_event_at INTEGER NOT NULL
) STRICT;
CREATE INDEX emails_by_company ON emails (company, num);
CREATE INDEX emails_by_age ON emails (created_at);

-- The row goes when retention removes the content.
CREATE TABLE contents (
  email      INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  html       TEXT,
  text       TEXT,
  raw        BLOB
) STRICT;
CREATE INDEX contents_by_age ON contents (created_at);

-- Files, kept once for each company. A blob nothing refers to is removed with its last reference.
CREATE TABLE blobs (
  num     INTEGER PRIMARY KEY,
  company INTEGER NOT NULL,
  sha256  BLOB NOT NULL,
  bytes   BLOB NOT NULL,
  UNIQUE (company, sha256)
) STRICT;

CREATE TABLE attachments (
  email        INTEGER NOT NULL,
  position     INTEGER NOT NULL,
  blob         INTEGER NOT NULL,
  filename     TEXT NOT NULL,
  content_type TEXT NOT NULL,
  disposition  TEXT NOT NULL,
  content_id   TEXT,
  PRIMARY KEY (email, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX attachments_by_blob ON attachments (blob);

CREATE TABLE recipients (
  email            INTEGER NOT NULL,
  position         INTEGER NOT NULL,
  company          INTEGER NOT NULL,
  address          TEXT NOT NULL,
  domain           TEXT NOT NULL,
  kind             TEXT NOT NULL,
  state            TEXT NOT NULL,
  -- Set while waiting.
  due_at           INTEGER,
  -- Fencing token, set while leased.
  lease            INTEGER,
  attempts         INTEGER NOT NULL DEFAULT 0,
  variables        TEXT,
  preferred_server TEXT,
  -- The last attempt's answer was lost after the final dot.
  uncertain        INTEGER NOT NULL DEFAULT 0,
  -- See Suspicion in store.ts.
  suspicion        INTEGER NOT NULL DEFAULT 0,
  server           TEXT,
  last_code        INTEGER,
  last_message     TEXT,
  -- Since when what is not the mail's fault keeps it waiting.
  postponed_since  INTEGER,
  PRIMARY KEY (email, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX recipients_waiting ON recipients (company, domain, due_at) WHERE state = 'waiting';
CREATE INDEX recipients_leased ON recipients (lease) WHERE state = 'leased';
CREATE INDEX recipients_quarantined ON recipients (company, domain, email) WHERE state = 'quarantined';

-- One row for each company and domain with waiting recipients; due_at is the earliest of theirs. Claims find due work
-- through it, whatever waits beside.
CREATE TABLE lanes (
  company INTEGER NOT NULL,
  domain  TEXT NOT NULL,
  due_at  INTEGER NOT NULL,
  PRIMARY KEY (company, domain)
) STRICT, WITHOUT ROWID;
CREATE INDEX lanes_of_company_by_due ON lanes (company, due_at, domain);
CREATE INDEX lanes_by_due ON lanes (due_at);

CREATE TABLE leases (
  token INTEGER PRIMARY KEY,
  until INTEGER NOT NULL
) STRICT;

CREATE TABLE events (
  email     INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  recipient INTEGER,
  type      TEXT NOT NULL,
  at        INTEGER NOT NULL,
  detail    TEXT,
  PRIMARY KEY (email, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempts (
  email      INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  recipients TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  duration   INTEGER NOT NULL,
  server     TEXT,
  tls        TEXT,
  dialogue   TEXT NOT NULL,
  PRIMARY KEY (email, seq)
) STRICT, WITHOUT ROWID;

-- Recipients given back because their domain may not send; a row counts only while the recipient is due as it says.
CREATE TABLE held_recipients (
  domain_id TEXT NOT NULL,
  email     INTEGER NOT NULL,
  position  INTEGER NOT NULL,
  due_at    INTEGER NOT NULL,
  PRIMARY KEY (domain_id, email, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX held_by_email ON held_recipients (email);

-- Recipients under way that are to end when their attempt does, unless it ends them.
CREATE TABLE cancel_requests (
  email    INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (email, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE captured (
  num        INTEGER PRIMARY KEY,
  email      INTEGER NOT NULL,
  recipients TEXT NOT NULL,
  raw        BLOB NOT NULL
) STRICT;
CREATE INDEX captured_by_email ON captured (email);

CREATE TABLE suppressions (
  company    INTEGER NOT NULL REFERENCES companies (num),
  address    TEXT NOT NULL COLLATE NOCASE,
  reason     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  email_id   TEXT,
  PRIMARY KEY (company, address)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  company     INTEGER NOT NULL,
  key         TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  email_id    TEXT NOT NULL,
  message_id  TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (company, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TABLE counters (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO counters (name, value) VALUES ('lease', 0), ('accounts', 0), ('probe', 0);
`
