export const sql = `
-- What DMARC rows are summed up by, from their detail. NULL: a row of a TLS report.
ALTER TABLE domain_report_rows ADD COLUMN source TEXT;
ALTER TABLE domain_report_rows ADD COLUMN dkim INTEGER;
ALTER TABLE domain_report_rows ADD COLUMN spf INTEGER;
ALTER TABLE domain_report_rows ADD COLUMN disposition TEXT;
ALTER TABLE domain_report_rows ADD COLUMN policy TEXT;
ALTER TABLE domain_report_rows ADD COLUMN dkim_domain TEXT;
ALTER TABLE domain_report_rows ADD COLUMN spf_domain TEXT;
-- No source is longer than an IPv6 address.
UPDATE domain_report_rows SET
  source = substr(detail ->> 'source', 1, 45),
  dkim = detail ->> 'dkim',
  spf = detail ->> 'spf',
  disposition = detail ->> 'disposition',
  policy = detail ->> 'policy',
  dkim_domain = detail ->> 'dkimDomain',
  spf_domain = detail ->> 'spfDomain'
WHERE kind = 'dmarc';
-- Has all columns of the sums: the details, which are much longer, are not read.
CREATE INDEX domain_report_rows_sums ON domain_report_rows
  (domain_id, day, source, dkim, spf, disposition, policy, dkim_domain, spf_domain, amount) WHERE dkim IS NOT NULL;
`
