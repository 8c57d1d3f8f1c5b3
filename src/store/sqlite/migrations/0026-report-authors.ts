export const sql = `
-- The address that a report came from, if a signature proves that; NULL: anybody may have written it. Reports from
-- before this migration are of that kind: nothing is known of their signatures.
ALTER TABLE domain_reports ADD COLUMN author TEXT;
-- Messages that pass neither DKIM nor SPF.
ALTER TABLE domain_reports ADD COLUMN failing INTEGER NOT NULL DEFAULT 0;
ALTER TABLE domain_report_rows ADD COLUMN verified INTEGER NOT NULL DEFAULT 0;
DROP INDEX domain_report_rows_sums;
CREATE INDEX domain_report_rows_sums ON domain_report_rows
  (domain_id, day, source, verified, dkim, spf, disposition, dkim_domain, spf_domain, amount)
  WHERE dkim IS NOT NULL;
-- Rows that a node from before migration 0025 wrote after it, while nodes were updated one by one.
CREATE INDEX domain_report_rows_unsummed ON domain_report_rows (domain_id) WHERE kind = 'dmarc' AND dkim IS NULL;
`
