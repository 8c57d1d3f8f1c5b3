export const sql = `
-- TLS sessions with the servers of recipients' domains, by UTC day (RFC 8460).
CREATE TABLE tls_sessions (
  domain   {id} NOT NULL,
  -- 2026-11-28
  day      {id} NOT NULL,
  -- A digest of the detail.
  key      {id} NOT NULL,
  -- The policy and the result, as JSON.
  detail   {text} NOT NULL,
  sessions {big} NOT NULL,
  PRIMARY KEY (domain, day, key)
){keyed};
CREATE INDEX tls_sessions_age ON tls_sessions (day);
-- The reports about them: one for each domain and day.
CREATE TABLE tls_reports (
  domain  {id} NOT NULL,
  day     {id} NOT NULL,
  -- waiting, sent, unwanted or failed
  state   {text} NOT NULL,
  -- When it is due; while a node sends it, when another node may send it.
  due_at  {big} NOT NULL,
  tries   {int} NOT NULL DEFAULT 0,
  -- The URIs that have received it, as JSON.
  sent_to {text} NOT NULL DEFAULT '[]',
  sent_at {big},
  -- Why the last try failed.
  fault   {text},
  PRIMARY KEY (domain, day)
){keyed};
CREATE INDEX tls_reports_due ON tls_reports (due_at) WHERE state = 'waiting';
CREATE INDEX tls_reports_by_day ON tls_reports (day, domain);
-- Reports that others sent about our domains.
CREATE TABLE domain_reports (
  domain_id   {id} NOT NULL,
  -- dmarc or tls
  kind        {id} NOT NULL,
  reporter    {id} NOT NULL,
  report_id   {id} NOT NULL,
  begin_at    {big} NOT NULL,
  end_at      {big} NOT NULL,
  received_at {big} NOT NULL,
  -- Messages, or sessions.
  amount      {big} NOT NULL,
  PRIMARY KEY (domain_id, kind, reporter, report_id)
){keyed};
CREATE INDEX domain_reports_by_time ON domain_reports (domain_id, kind, begin_at);
CREATE INDEX domain_reports_age ON domain_reports (begin_at);
-- The rows of these reports, summed up by day, source and result.
CREATE TABLE domain_report_rows (
  domain_id {id} NOT NULL,
  kind      {id} NOT NULL,
  day       {id} NOT NULL,
  key       {id} NOT NULL,
  detail    {text} NOT NULL,
  amount    {big} NOT NULL,
  PRIMARY KEY (domain_id, kind, day, key)
){keyed};
CREATE INDEX domain_report_rows_age ON domain_report_rows (day);
`
