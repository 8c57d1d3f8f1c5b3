export const sql = `
-- 1: its record is in the operator's zone, and the domain has a CNAME record that leads there.
ALTER TABLE dkim_keys ADD COLUMN delegated INTEGER NOT NULL DEFAULT 0;
-- Unix milliseconds since which mail is signed with it; NULL: it signs none, or the time is not known.
ALTER TABLE dkim_keys ADD COLUMN active_since INTEGER;
-- Unix milliseconds since which checks of DNS have found the state in \`seen\`; NULL: it was not checked yet, or the time is not known.
ALTER TABLE dkim_keys ADD COLUMN seen_since INTEGER;
`
