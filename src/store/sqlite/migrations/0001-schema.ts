/**
 * The schema.
 *
 * - Times are Unix milliseconds. Lists and small maps are JSON text; NULL stands for an empty one.
 * - Public ids (UUIDv7 text) are stored once; other rows refer to an email or a company by a small integer (`num`),
 *   which keeps the rows of an email side by side and inserts at the right edge of each tree. Emails are numbered in
 *   the order of acceptance, so age needs no index: retention walks along the numbers.
 * - Partial indexes cover live work only (`waiting`, `sending`, in quarantine, held), so their size does not grow with
 *   history.
 * - An email has no column for its last event, which is the one with the highest number: so its row is not rewritten
 *   with every event.
 */
export const sql = `
CREATE TABLE companies (
  num        INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  name          TEXT NOT NULL UNIQUE,
  -- Requests a second, recipients a day and a month; NULL: no limit of its own.
  rate_limit    INTEGER,
  daily_limit   INTEGER,
  monthly_limit INTEGER,
  -- How many it may have; NULL: as many as usual.
  domain_limit  INTEGER,
  key_limit     INTEGER,
  webhook_limit INTEGER,
  created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE domains (
  id         TEXT PRIMARY KEY,
  company    INTEGER NOT NULL REFERENCES companies (num),
  name       TEXT NOT NULL,
  status     TEXT NOT NULL,
  sending    TEXT NOT NULL,
  -- Ids of domains of the same company that mail of this one may be from as well, in JSON; NULL: none.
  speaks_for TEXT,
  -- JSON; NULL: what every domain has.
  settings   TEXT,
  -- What DNS had, in JSON, by kind of record; NULL: it was not asked yet.
  seen       TEXT,
  created_at INTEGER NOT NULL,
  -- When the service has asked DNS last, and when it asks again: no change of accounts.
  checked_at   INTEGER,
  check_due_at INTEGER NOT NULL,
  UNIQUE (company, name)
) STRICT, WITHOUT ROWID;
-- Several companies may ask for a name. One holds it: who has shown that it is hers, or of whom the operator says so.
CREATE UNIQUE INDEX domains_held ON domains (name) WHERE status = 'verified' OR sending = 'active';
-- A domain that has never sent is checked only when somebody asks for it.
CREATE INDEX domains_to_check ON domains (check_due_at) WHERE sending <> 'inactive';

-- Mail from them may still wait: by this it is told from mail of a domain that a node does not know yet.
CREATE TABLE removed_domains (
  id         TEXT PRIMARY KEY,
  company    INTEGER NOT NULL REFERENCES companies (num),
  name       TEXT NOT NULL,
  removed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX removed_domains_by_age ON removed_domains (removed_at);

-- What was said of tags that mail of a domain had.
CREATE TABLE tags (
  domain_id   TEXT NOT NULL,
  tag         TEXT NOT NULL,
  description TEXT NOT NULL,
  -- NULL: it is listed.
  removed_at  INTEGER,
  PRIMARY KEY (domain_id, tag)
) STRICT, WITHOUT ROWID;

-- Policies of MTA-STS that recipient domains publish.
CREATE TABLE mta_sts_policies (
  domain     TEXT NOT NULL PRIMARY KEY,
  id         TEXT NOT NULL,
  mode       TEXT NOT NULL,
  -- Patterns of mail hosts: JSON.
  mx         TEXT NOT NULL,
  fetched_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX mta_sts_policies_by_end ON mta_sts_policies (expires_at);

CREATE TABLE dkim_keys (
  domain_id          TEXT NOT NULL REFERENCES domains (id),
  position           INTEGER NOT NULL,
  id                 TEXT NOT NULL UNIQUE,
  selector           TEXT NOT NULL,
  algorithm          TEXT NOT NULL,
  public_key         TEXT NOT NULL,
  sealed_private_key BLOB NOT NULL,
  -- 0: it is published before mail is signed with it.
  active             INTEGER NOT NULL DEFAULT 1,
  -- Its place in a rotation, and since when (Unix ms); NULL: it takes part in none.
  stage              TEXT,
  stage_since        INTEGER,
  -- What DNS had for it; NULL: it was not asked yet.
  seen               TEXT,
  PRIMARY KEY (domain_id, position)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX dkim_selectors ON dkim_keys (domain_id, selector);
-- One rotation at a time.
CREATE UNIQUE INDEX dkim_keys_next ON dkim_keys (domain_id, algorithm) WHERE stage = 'next';

CREATE TABLE api_keys (
  id         TEXT PRIMARY KEY,
  company    INTEGER NOT NULL REFERENCES companies (num),
  name       TEXT NOT NULL,
  token_hash BLOB NOT NULL UNIQUE,
  -- Of a login over SMTP, as scrypt has hashed it; NULL: there is none.
  password   TEXT,
  scopes     TEXT NOT NULL,
  domain_id  TEXT REFERENCES domains (id),
  -- The source networks it may be used from; NULL: any.
  networks   TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_company ON api_keys (company, revoked_at);
CREATE INDEX api_keys_by_end ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;

-- Ids of what was changed with the newest versions of the accounts, so that processes read no more than that.
CREATE TABLE account_changes (
  version INTEGER NOT NULL,
  id      TEXT NOT NULL,
  PRIMARY KEY (version, id)
) STRICT, WITHOUT ROWID;

-- Routes of a company's own, or of one of its domains (domain_id; '': of all that have none). The credentials are sealed.
CREATE TABLE routes (
  company    INTEGER NOT NULL REFERENCES companies (num),
  domain_id  TEXT NOT NULL,
  id         TEXT NOT NULL UNIQUE,
  url        TEXT NOT NULL,
  sealed     BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (company, domain_id)
) STRICT, WITHOUT ROWID;

-- One small row an email; what is large about it lies in contents and blobs.
CREATE TABLE emails (
  num           INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  company       INTEGER NOT NULL REFERENCES companies (num),
  domain_id     TEXT NOT NULL,
  key_id        TEXT NOT NULL,
  sender        TEXT NOT NULL,
  message_id    TEXT NOT NULL,
  date          INTEGER NOT NULL,
  individual    INTEGER NOT NULL,
  test_mode     INTEGER NOT NULL,
  -- The encryption that the sender demands.
  tls           TEXT,
  via_smtp      INTEGER NOT NULL DEFAULT 0,
  created_at    INTEGER NOT NULL,
  scheduled_at  INTEGER,
  size          INTEGER NOT NULL,
  -- 0 until the event 'sent' is written: at once, or with the first claim of a scheduled email.
  sent          INTEGER NOT NULL,
  -- What may be long comes last: a row is read from its beginning, as far as is wanted of it.
  subject       TEXT NOT NULL,
  header_from   TEXT NOT NULL,
  tags          TEXT,
  reply_to      TEXT,
  variables     TEXT,
  headers       TEXT,
  header_cc     TEXT,
  bcc           TEXT,
  header_to     TEXT
) STRICT;
CREATE INDEX emails_by_company ON emails (company, num);

-- The row goes when retention removes the content.
CREATE TABLE contents (
  email      INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  html       TEXT,
  text       TEXT,
  -- The part of a message that is AMP for Email.
  amp        TEXT,
  raw        BLOB
) STRICT;

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
  -- The fencing token of its node, set while sending.
  lease            INTEGER,
  attempts         INTEGER NOT NULL DEFAULT 0,
  variables        TEXT,
  mailbox          TEXT,
  copy_size        INTEGER,
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
  -- 'domain': its sending domain may not send; 'path': the path it takes is closed. And the sending domain (id) whose
  -- release makes it due.
  held_for         TEXT,
  held_domain      TEXT,
  -- 1: it is being sent, and ends as canceled unless its attempt ends it.
  cancel           INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (email, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX recipients_waiting ON recipients (company, domain, due_at) WHERE state = 'waiting';
-- The oldest of a company that wait.
CREATE INDEX recipients_waiting_by_age ON recipients (company, email) WHERE state = 'waiting';
CREATE INDEX recipients_sending ON recipients (lease) WHERE state = 'sending';
CREATE INDEX recipients_quarantined ON recipients (company, domain, email) WHERE state = 'quarantined';
CREATE INDEX recipients_held ON recipients (held_domain) WHERE held_domain IS NOT NULL;
CREATE INDEX recipients_to_cancel ON recipients (email) WHERE cancel = 1;

-- One row for each company and domain with waiting recipients: how many they are, and when the first of them is due.
-- Claims find due work through it, whatever waits beside.
CREATE TABLE lanes (
  company INTEGER NOT NULL,
  domain  TEXT NOT NULL,
  due_at  INTEGER NOT NULL,
  waiting INTEGER NOT NULL,
  PRIMARY KEY (company, domain)
) STRICT, WITHOUT ROWID;
CREATE INDEX lanes_of_company_by_due ON lanes (company, due_at, domain);
CREATE INDEX lanes_by_due ON lanes (due_at);

-- The operator's word that mail stays. Company 0 stands for all companies, the empty domain for all domains.
CREATE TABLE pauses (
  company INTEGER NOT NULL,
  domain  TEXT NOT NULL,
  since   INTEGER NOT NULL,
  PRIMARY KEY (company, domain)
) STRICT, WITHOUT ROWID;

-- Nodes in service. A row is the lease of everything that carries its token.
CREATE TABLE nodes (
  token      INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  roles      TEXT NOT NULL,
  timeout_ms INTEGER NOT NULL,
  since      INTEGER NOT NULL,
  beats      INTEGER NOT NULL DEFAULT 0,
  -- Where a node that starts again under its name finds itself (src/cluster/name-claim.ts); NULL: not known.
  machine    TEXT
) STRICT;

-- The log, in one order for the whole database. The counter 'events' has the last number, which outlives the events that
-- retention removes.
CREATE TABLE events (
  number    INTEGER PRIMARY KEY,
  -- NULL: what happened to the company itself.
  email     INTEGER,
  company   INTEGER NOT NULL,
  recipient INTEGER,
  type      TEXT NOT NULL,
  at        INTEGER NOT NULL,
  detail    TEXT
) STRICT;
CREATE INDEX events_by_email ON events (email);

CREATE TABLE attempts (
  email      INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  recipients TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  duration   INTEGER NOT NULL,
  server     TEXT,
  -- JSON.
  tls        TEXT,
  dialogue   TEXT NOT NULL,
  PRIMARY KEY (email, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE captured (
  num        INTEGER PRIMARY KEY,
  email      INTEGER NOT NULL,
  recipients TEXT NOT NULL,
  raw        BLOB NOT NULL
) STRICT;
CREATE INDEX captured_by_email ON captured (email);

-- Addresses that mail of a company does not go to. A look-up by company and address gives the types in their order.
CREATE TABLE suppressions (
  id         TEXT NOT NULL UNIQUE,
  company    INTEGER NOT NULL REFERENCES companies (num),
  address    TEXT NOT NULL COLLATE NOCASE,
  type       TEXT NOT NULL,
  -- Unsubscribed from these only, in JSON; and as they stand in the text of an email's own tags (marksOf).
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
CREATE INDEX suppressions_by_seq ON suppressions (seq);
-- In the orders in which they are listed; for keys of a domain, those that came from it.
CREATE INDEX suppressions_newest ON suppressions (company, type, id);
CREATE INDEX suppressions_by_address ON suppressions (company, type, address);
CREATE INDEX suppressions_newest_of_domain ON suppressions (company, type, domain_id, id) WHERE domain_id IS NOT NULL;
CREATE INDEX suppressions_by_address_of_domain ON suppressions (company, type, domain_id, address) WHERE domain_id IS NOT NULL;

-- Addresses and domains that bounces do not suppress.
CREATE TABLE allowed (
  company    INTEGER NOT NULL REFERENCES companies (num),
  value      TEXT NOT NULL COLLATE NOCASE,
  kind       TEXT NOT NULL,
  reason     TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (company, value)
) STRICT, WITHOUT ROWID;

-- How many recipients a company had on one day (2026-11-20) and in one month (2026-11), in UTC. A row for each company
-- that has a quota.
CREATE TABLE quotas (
  company INTEGER PRIMARY KEY,
  day     TEXT NOT NULL,
  daily   INTEGER NOT NULL,
  month   TEXT NOT NULL,
  monthly INTEGER NOT NULL
) STRICT;

CREATE TABLE idempotency (
  company     INTEGER NOT NULL,
  key         TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  email_id    TEXT NOT NULL,
  message_id  TEXT NOT NULL,
  -- Ids and Message-IDs, in JSON, of all emails that came with the key in one request; NULL: it was one.
  emails      TEXT,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (company, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- Who follows the log of events durably; lease: the token of the node that does.
CREATE TABLE followers (
  name   TEXT PRIMARY KEY,
  cursor INTEGER NOT NULL,
  lease  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What is made of the log (src/store/digest.ts): lists of places for each term and segment, times of segments, counts.
-- Lists are long: beside their keys they would make the tree so deep that finding one takes ten times as long.
CREATE TABLE search_lists (
  company INTEGER NOT NULL,
  kind    INTEGER NOT NULL,
  major   INTEGER NOT NULL,
  minor   INTEGER NOT NULL,
  places  BLOB NOT NULL,
  PRIMARY KEY (company, kind, major, minor)
) STRICT;

CREATE TABLE search_spans (
  company INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  min_at  INTEGER NOT NULL,
  max_at  INTEGER NOT NULL,
  PRIMARY KEY (company, segment)
) STRICT, WITHOUT ROWID;

CREATE TABLE event_counts (
  company   INTEGER NOT NULL,
  -- Of the bucket, in ms.
  size      INTEGER NOT NULL,
  dimension TEXT NOT NULL,
  start     INTEGER NOT NULL,
  domain_id TEXT NOT NULL,
  value     TEXT NOT NULL,
  type      TEXT NOT NULL,
  n         INTEGER NOT NULL,
  PRIMARY KEY (company, size, dimension, start, domain_id, value, type)
) STRICT, WITHOUT ROWID;

-- cursor: everything up to this event was told or waits in webhook_retries. lease: the token of the node that tells.
-- generation: raised by every change that is not that node's own.
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

-- part: position of the recipient that an event about an email as a whole is told of; -1: it is told whole.
CREATE TABLE webhook_retries (
  webhook  INTEGER NOT NULL,
  number   INTEGER NOT NULL,
  part     INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  due_at   INTEGER NOT NULL,
  PRIMARY KEY (webhook, number, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_retries_by_due ON webhook_retries (webhook, due_at);

-- A few are kept, so that the table and its indexes do not grow.
CREATE TABLE webhook_attempts (
  webhook   INTEGER NOT NULL,
  id        TEXT NOT NULL,
  number    INTEGER NOT NULL,
  part      INTEGER NOT NULL,
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
CREATE INDEX webhook_attempts_by_number ON webhook_attempts (webhook, number, part, id);

-- Requests of clients and their answers; company 0: the key is unknown. The newest are kept.
CREATE TABLE api_requests (
  company    INTEGER NOT NULL,
  id         TEXT NOT NULL,
  at         INTEGER NOT NULL,
  method     TEXT NOT NULL,
  endpoint   TEXT NOT NULL,
  status     INTEGER NOT NULL,
  refused    INTEGER NOT NULL,
  error      TEXT,
  key_id     TEXT,
  address    TEXT NOT NULL,
  user_agent TEXT,
  duration   INTEGER,
  request    TEXT,
  response   TEXT,
  PRIMARY KEY (company, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX api_requests_by_id ON api_requests (id);
CREATE INDEX api_requests_by_refusal ON api_requests (company, refused, id);
CREATE INDEX api_requests_by_time ON api_requests (at);

-- What a company signs webhooks of the form dialect with.
CREATE TABLE signing_keys (
  company INTEGER PRIMARY KEY,
  sealed  BLOB NOT NULL
) STRICT;

-- People of the console. What they prove who they are with is JSON, and changes as a whole.
CREATE TABLE people (
  id          TEXT PRIMARY KEY,
  -- In lower case; NULL: not said yet.
  address     TEXT UNIQUE,
  name        TEXT NOT NULL,
  operator    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  credentials TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- One of them is to be left.
CREATE INDEX people_operators ON people (id) WHERE operator;

CREATE TABLE memberships (
  person  TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  company INTEGER NOT NULL REFERENCES companies (num),
  role    TEXT NOT NULL,
  -- False: see Membership in people/person.ts.
  confirmed INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (person, company)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_by_company ON memberships (company, person);

-- Accounts elsewhere, which stand in people's credentials too: here they are found.
CREATE TABLE identities (
  issuer  TEXT NOT NULL,
  subject TEXT NOT NULL,
  person  TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_by_person ON identities (person);

CREATE TABLE sessions (
  id         TEXT PRIMARY KEY,
  -- SHA-256.
  token_hash BLOB NOT NULL UNIQUE,
  person     TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  way        TEXT NOT NULL,
  address    TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_person ON sessions (person);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- Links that sign somebody in once: the row goes with that.
CREATE TABLE sign_in_links (
  token_hash BLOB PRIMARY KEY,
  person     TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_links_by_person ON sign_in_links (person);
CREATE INDEX sign_in_links_by_end ON sign_in_links (expires_at);

-- Who is asked to belong to a company: the row goes once he does.
CREATE TABLE invitations (
  id         TEXT PRIMARY KEY,
  token_hash BLOB NOT NULL UNIQUE,
  company    INTEGER NOT NULL REFERENCES companies (num),
  address    TEXT NOT NULL,
  role       TEXT NOT NULL,
  -- The inviter and, as it was then, the inviter's address or name; NULL: the command line.
  inviter    TEXT REFERENCES people (id) ON DELETE CASCADE,
  inviter_name TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (company, address)
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_by_end ON invitations (expires_at);
CREATE INDEX invitations_by_inviter ON invitations (inviter);

-- Tries to sign in, by what they are counted by: when all that was tried there will have been paid for (unix ms).
CREATE TABLE sign_in_attempts (
  lane    TEXT PRIMARY KEY,
  paid_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_attempts_by_end ON sign_in_attempts (paid_at);

-- What was changed by whom. The counter 'audit' has the last number, which is given once.
CREATE TABLE audit (
  number     INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,
  -- 0: it concerns the installation.
  company    INTEGER NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id   TEXT,
  actor_name TEXT NOT NULL,
  -- 'change' of settings, or 'session': somebody signs in or out.
  topic      TEXT NOT NULL DEFAULT 'change',
  action     TEXT NOT NULL,
  target     TEXT NOT NULL,
  -- JSON; NULL: nothing.
  detail     TEXT,
  done       INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_by_company ON audit (company, number);
CREATE INDEX audit_by_company_topic ON audit (company, topic, number);
-- For operators, who see the entries of all companies.
CREATE INDEX audit_by_topic ON audit (topic, number);
CREATE INDEX audit_by_actor ON audit (actor_name, number);
CREATE INDEX audit_by_action ON audit (action, number);
-- Which numbers a time has.
CREATE INDEX audit_by_time ON audit (at, number);

CREATE TABLE counters (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Written and removed again when it is in doubt whether there is room for more; else empty.
CREATE TABLE room (
  octets BLOB NOT NULL
) STRICT;
INSERT INTO counters (name, value) VALUES ('lease', 0), ('accounts', 0), ('suppressions', 0), ('events', 0), ('audit', 0), ('probe', 0);
`
