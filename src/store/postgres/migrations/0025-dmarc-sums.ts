export const sql = `
-- What DMARC rows are summed up by, from their detail. NULL: a row of a TLS report.
ALTER TABLE domain_report_rows
  ADD COLUMN source text COLLATE "C",
  ADD COLUMN dkim boolean,
  ADD COLUMN spf boolean,
  ADD COLUMN disposition text COLLATE "C",
  ADD COLUMN policy text COLLATE "C",
  ADD COLUMN dkim_domain text COLLATE "C",
  ADD COLUMN spf_domain text COLLATE "C";
-- No source is longer than an IPv6 address.
UPDATE domain_report_rows SET
  source = left(detail::json ->> 'source', 45),
  dkim = (detail::json ->> 'dkim')::boolean,
  spf = (detail::json ->> 'spf')::boolean,
  disposition = detail::json ->> 'disposition',
  policy = detail::json ->> 'policy',
  dkim_domain = detail::json ->> 'dkimDomain',
  spf_domain = detail::json ->> 'spfDomain'
WHERE kind = 'dmarc';
-- Has all columns of the sums: the details, which are much longer, are not read.
CREATE INDEX domain_report_rows_sums ON domain_report_rows
  (domain_id, day, source, dkim, spf, disposition, policy, dkim_domain, spf_domain, amount) WHERE dkim IS NOT NULL;
`
