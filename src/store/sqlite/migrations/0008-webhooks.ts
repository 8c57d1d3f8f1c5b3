/**
 * Webhooks. `cursor`: everything up to this event was told or waits in webhook_retries; `lease`: the token of the node
 * that tells; `generation`: raised by every change that is not that node's own. Of attempts a few are kept, so that
 * their table and its indexes do not grow.
 */
export const sql = `
CREATE TABLE webhooks (
  num             INTEGER PRIMARY KEY,
  id              TEXT NOT NULL UNIQUE,
  company         INTEGER NOT NULL REFERENCES companies (num),
  domain_id       TEXT,
  dialect         TEXT NOT NULL,
  url             TEXT NOT NULL,
  types           TEXT,
  status          TEXT NOT NULL,
  secret          BLOB NOT NULL,
  previous_secret BLOB,
  rotated_at      INTEGER,
  created_at      INTEGER NOT NULL,
  failing_since   INTEGER,
  disabled_at     INTEGER,
  disabled_reason TEXT,
  cursor          INTEGER NOT NULL,
  generation      INTEGER NOT NULL DEFAULT 0,
  lease           INTEGER
) STRICT;
CREATE INDEX webhooks_by_company ON webhooks (company, num);

CREATE TABLE webhook_retries (
  webhook  INTEGER NOT NULL,
  number   INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  due_at   INTEGER NOT NULL,
  PRIMARY KEY (webhook, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_retries_by_due ON webhook_retries (webhook, due_at);

CREATE TABLE webhook_attempts (
  webhook   INTEGER NOT NULL,
  id        TEXT NOT NULL,
  number    INTEGER NOT NULL,
  type      TEXT NOT NULL,
  email_id  TEXT NOT NULL,
  at        INTEGER NOT NULL,
  duration  INTEGER NOT NULL,
  status    INTEGER,
  error     TEXT,
  response  TEXT NOT NULL,
  succeeded INTEGER NOT NULL,
  attempt   INTEGER NOT NULL,
  next_at   INTEGER,
  PRIMARY KEY (webhook, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_attempts_by_success ON webhook_attempts (webhook, succeeded, id);
CREATE INDEX webhook_attempts_by_number ON webhook_attempts (webhook, number, id);

-- What a company signs webhooks of the form dialect with.
CREATE TABLE signing_keys (
  company INTEGER PRIMARY KEY,
  sealed  BLOB NOT NULL
) STRICT;
`
