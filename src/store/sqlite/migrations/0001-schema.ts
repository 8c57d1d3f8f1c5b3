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
  -- The most domains, keys and webhooks it may have; NULL: the usual number.
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
  -- Ids of the company's domains that mail of this domain may also name in From, in JSON; NULL: none.
  speaks_for TEXT,
  -- JSON; NULL: the defaults.
  settings   TEXT,
  -- What DNS returned, in JSON, by kind of record; NULL: DNS was not asked yet.
  seen       TEXT,
  created_at INTEGER NOT NULL,
  -- When the service last asked DNS, and when it asks again. Changing them is no change of accounts.
  checked_at   INTEGER,
  check_due_at INTEGER NOT NULL,
  UNIQUE (company, name)
) STRICT, WITHOUT ROWID;
-- Several companies may add a name. One holds it: the one that has proven that it owns the name, or that the operator
-- has chosen.
CREATE UNIQUE INDEX domains_held ON domains (name) WHERE status = 'verified' OR sending = 'active';
-- A domain that has never sent is checked only when somebody asks for it.
CREATE INDEX domains_to_check ON domains (check_due_at) WHERE sending <> 'inactive';

-- Mail from these domains may still wait. This table tells them from domains that a node does not know yet.
CREATE TABLE removed_domains (
  id         TEXT PRIMARY KEY,
  company    INTEGER NOT NULL REFERENCES companies (num),
  name       TEXT NOT NULL,
  removed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX removed_domains_by_age ON removed_domains (removed_at);

-- The notes on tags of a domain's mail.
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
  -- What DNS returned for the key; NULL: DNS was not asked yet.
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
  -- The scrypt hash of the password of a login over SMTP; NULL: there is none.
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

-- The ids of the things changed in the newest versions of the accounts, so that processes read only those.
CREATE TABLE account_changes (
  version INTEGER NOT NULL,
  id      TEXT NOT NULL,
  PRIMARY KEY (version, id)
) STRICT, WITHOUT ROWID;

-- The routes of companies (domain_id '': for all domains without a route) and of their domains. The credentials are
-- sealed.
CREATE TABLE routes (
  company    INTEGER NOT NULL REFERENCES companies (num),
  domain_id  TEXT NOT NULL,
  id         TEXT NOT NULL UNIQUE,
  url        TEXT NOT NULL,
  sealed     BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (company, domain_id)
) STRICT, WITHOUT ROWID;

-- One small row for each email. Its large parts are in contents and blobs.
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
  -- Long columns come last, because SQLite reads a row from its beginning up to the last wanted column.
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

-- Files, stored once for each company. A blob is removed with the last reference to it.
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
  -- Since when it waits for a reason that is not the mail's fault.
  postponed_since  INTEGER,
  -- 'domain': its sending domain may not send; 'path': its path is closed. held_domain: the id of the sending domain
  -- whose release makes it due.
  held_for         TEXT,
  held_domain      TEXT,
  -- 1: it is being sent, and ends as canceled if its attempt leaves it waiting.
  cancel           INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (email, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX recipients_waiting ON recipients (company, domain, due_at) WHERE state = 'waiting';
-- For the oldest waiting email of a company.
CREATE INDEX recipients_waiting_by_age ON recipients (company, email) WHERE state = 'waiting';
CREATE INDEX recipients_sending ON recipients (lease) WHERE state = 'sending';
CREATE INDEX recipients_quarantined ON recipients (company, domain, email) WHERE state = 'quarantined';
CREATE INDEX recipients_held ON recipients (held_domain) WHERE held_domain IS NOT NULL;
CREATE INDEX recipients_to_cancel ON recipients (email) WHERE cancel = 1;

-- One row for each company and domain with waiting recipients: how many they are, and when the first of them is due.
-- Claims find due work through it, however much other mail waits.
CREATE TABLE lanes (
  company INTEGER NOT NULL,
  domain  TEXT NOT NULL,
  due_at  INTEGER NOT NULL,
  waiting INTEGER NOT NULL,
  PRIMARY KEY (company, domain)
) STRICT, WITHOUT ROWID;
CREATE INDEX lanes_of_company_by_due ON lanes (company, due_at, domain);
CREATE INDEX lanes_by_due ON lanes (due_at);

-- Pauses, which an operator has set. Company 0 stands for all companies, the empty domain for all domains.
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
  -- The place of the claim on its name (src/cluster/name-claim.ts); NULL: not known.
  machine    TEXT
) STRICT;

-- The log, in one order for the whole database. The counter 'events' has the last number, which outlives the events
-- that retention removes.
CREATE TABLE events (
  number    INTEGER PRIMARY KEY,
  -- NULL: the event is about the company itself.
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
  -- tags: the only tags that the address is unsubscribed from, in JSON. marks: how they appear in the text of an
  -- email's tags (marksOf).
  tags       TEXT,
  marks      TEXT,
  reason     TEXT NOT NULL,
  code       INTEGER,
  email_id   TEXT,
  domain_id  TEXT,
  created_at INTEGER NOT NULL,
  -- Rises with every addition, so that nodes find new suppressions without reading the rest.
  seq        INTEGER NOT NULL,
  PRIMARY KEY (company, address, type)
) STRICT, WITHOUT ROWID;
CREATE INDEX suppressions_by_seq ON suppressions (seq);
-- The orders of listings; those of a domain are for keys that are restricted to it.
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
  -- The ids and Message-IDs of all emails of the request, in JSON; NULL: it had one email.
  emails      TEXT,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (company, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- Durable followers of the log of events. lease: the token of the node that runs the follower.
CREATE TABLE followers (
  name   TEXT PRIMARY KEY,
  cursor INTEGER NOT NULL,
  lease  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The digest of the log (src/store/digest.ts): lists of places for each term and segment, times of segments, counts.
-- Not WITHOUT ROWID: lists are long, and beside their keys they would make the tree so deep that a look-up takes ten
-- times as long.
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

-- cursor: every event up to this one was sent or waits in webhook_retries. lease: the token of the node that sends.
-- generation: rises when somebody other than this node changes the status or the cursor.
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

-- part: the position of the recipient for whom an event of a whole email is sent; -1: the event is sent whole.
CREATE TABLE webhook_retries (
  webhook  INTEGER NOT NULL,
  number   INTEGER NOT NULL,
  part     INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  due_at   INTEGER NOT NULL,
  PRIMARY KEY (webhook, number, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_retries_by_due ON webhook_retries (webhook, due_at);

-- Only the newest are kept, so that the table and its indexes do not grow.
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

-- The keys that sign webhooks of the form dialect.
CREATE TABLE signing_keys (
  company INTEGER PRIMARY KEY,
  sealed  BLOB NOT NULL
) STRICT;

-- People of the console. Their credentials are JSON, and change as a whole.
CREATE TABLE people (
  id          TEXT PRIMARY KEY,
  -- In lower case; NULL: not known yet.
  address     TEXT UNIQUE,
  name        TEXT NOT NULL,
  operator    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  credentials TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- For the check that one operator remains.
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

-- Identities at providers. The credentials of people have them as well; this table finds them.
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

-- Links that sign somebody in once. Using a link removes its row.
CREATE TABLE sign_in_links (
  token_hash BLOB PRIMARY KEY,
  person     TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_links_by_person ON sign_in_links (person);
CREATE INDEX sign_in_links_by_end ON sign_in_links (expires_at);

-- Invitations to a company. Accepting one removes its row.
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

-- Attempts to sign in, by lane. paid_at: Unix ms until which the lane owes waiting time for its attempts.
CREATE TABLE sign_in_attempts (
  lane    TEXT PRIMARY KEY,
  paid_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_attempts_by_end ON sign_in_attempts (paid_at);

-- The audit list. The counter 'audit' has the last number; no number is given twice.
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
-- Finds the numbers of a time.
CREATE INDEX audit_by_time ON audit (at, number);

CREATE TABLE counters (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Rows are written and removed again to check that the disk has room. Otherwise empty.
CREATE TABLE room (
  octets BLOB NOT NULL
) STRICT;
INSERT INTO counters (name, value) VALUES ('lease', 0), ('accounts', 0), ('suppressions', 0), ('events', 0), ('audit', 0), ('probe', 0);
`
