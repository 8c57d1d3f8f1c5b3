export const sql = `
-- TLS sessions with the servers of recipients' domains, by UTC day (RFC 8460).
CREATE TABLE tls_sessions (
  domain   TEXT NOT NULL,
  -- 2026-11-28
  day      TEXT NOT NULL,
  -- A digest of the detail.
  key      TEXT NOT NULL,
  -- The policy and the result, as JSON.
  detail   TEXT NOT NULL,
  sessions INTEGER NOT NULL,
  PRIMARY KEY (domain, day, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX tls_sessions_age ON tls_sessions (day);
-- The reports about them: one for each domain and day.
CREATE TABLE tls_reports (
  domain  TEXT NOT NULL,
  day     TEXT NOT NULL,
  -- waiting, sent, unwanted or failed
  state   TEXT NOT NULL,
  -- When it is to be sent; while a node sends it, when another node may.
  due_at  INTEGER NOT NULL,
  tries   INTEGER NOT NULL DEFAULT 0,
  -- The URIs that have got it, as JSON.
  sent_to TEXT NOT NULL DEFAULT '[]',
  sent_at INTEGER,
  -- Why the last try failed.
  fault   TEXT,
  PRIMARY KEY (domain, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX tls_reports_due ON tls_reports (due_at) WHERE state = 'waiting';
CREATE INDEX tls_reports_by_day ON tls_reports (day, domain);
-- Reports that others sent about our domains.
CREATE TABLE domain_reports (
  domain_id   TEXT NOT NULL,
  -- dmarc or tls
  kind        TEXT NOT NULL,
  reporter    TEXT NOT NULL,
  report_id   TEXT NOT NULL,
  begin_at    INTEGER NOT NULL,
  end_at      INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  -- Messages, or sessions.
  amount      INTEGER NOT NULL,
  PRIMARY KEY (domain_id, kind, reporter, report_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX domain_reports_by_time ON domain_reports (domain_id, kind, begin_at);
CREATE INDEX domain_reports_age ON domain_reports (begin_at);
-- What they say, summed up by day, source and result.
CREATE TABLE domain_report_rows (
  domain_id TEXT NOT NULL,
  kind      TEXT NOT NULL,
  day       TEXT NOT NULL,
  key       TEXT NOT NULL,
  detail    TEXT NOT NULL,
  amount    INTEGER NOT NULL,
  PRIMARY KEY (domain_id, kind, day, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX domain_report_rows_age ON domain_report_rows (day);
`
