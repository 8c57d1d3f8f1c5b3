export const sql = `
-- TLS sessions with the servers of recipients' domains, by UTC day (RFC 8460).
CREATE TABLE tls_sessions (
  domain   text COLLATE "C" NOT NULL,
  -- 2026-11-28
  day      text COLLATE "C" NOT NULL,
  -- A digest of the detail.
  key      text COLLATE "C" NOT NULL,
  -- The policy and the result, as JSON.
  detail   text NOT NULL,
  sessions bigint NOT NULL,
  PRIMARY KEY (domain, day, key)
);
CREATE INDEX tls_sessions_age ON tls_sessions (day);
-- The reports about them: one for each domain and day.
CREATE TABLE tls_reports (
  domain  text COLLATE "C" NOT NULL,
  day     text COLLATE "C" NOT NULL,
  -- waiting, sent, unwanted or failed
  state   text NOT NULL,
  -- When it is to be sent; while a node sends it, when another node may.
  due_at  bigint NOT NULL,
  tries   integer NOT NULL DEFAULT 0,
  -- The URIs that have got it, as JSON.
  sent_to text NOT NULL DEFAULT '[]',
  sent_at bigint,
  -- Why the last try failed.
  fault   text,
  PRIMARY KEY (domain, day)
);
CREATE INDEX tls_reports_due ON tls_reports (due_at) WHERE state = 'waiting';
CREATE INDEX tls_reports_by_day ON tls_reports (day, domain);
-- Reports that others sent about our domains.
CREATE TABLE domain_reports (
  domain_id   text COLLATE "C" NOT NULL,
  -- dmarc or tls
  kind        text COLLATE "C" NOT NULL,
  reporter    text COLLATE "C" NOT NULL,
  report_id   text COLLATE "C" NOT NULL,
  begin_at    bigint NOT NULL,
  end_at      bigint NOT NULL,
  received_at bigint NOT NULL,
  -- Messages, or sessions.
  amount      bigint NOT NULL,
  PRIMARY KEY (domain_id, kind, reporter, report_id)
);
CREATE INDEX domain_reports_by_time ON domain_reports (domain_id, kind, begin_at);
CREATE INDEX domain_reports_age ON domain_reports (begin_at);
-- What they say, summed up by day, source and result.
CREATE TABLE domain_report_rows (
  domain_id text COLLATE "C" NOT NULL,
  kind      text COLLATE "C" NOT NULL,
  day       text COLLATE "C" NOT NULL,
  key       text COLLATE "C" NOT NULL,
  detail    text NOT NULL,
  amount    bigint NOT NULL,
  PRIMARY KEY (domain_id, kind, day, key)
);
CREATE INDEX domain_report_rows_age ON domain_report_rows (day);
`
