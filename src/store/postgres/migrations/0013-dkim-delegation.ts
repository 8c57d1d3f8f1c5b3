export const sql = `
-- Its record is in the operator's zone, and the domain has a CNAME record that leads there.
ALTER TABLE dkim_keys ADD COLUMN delegated boolean NOT NULL DEFAULT false;
-- Unix milliseconds since which mail is signed with it; NULL: it signs none, or the time is not known.
ALTER TABLE dkim_keys ADD COLUMN active_since bigint;
-- Unix milliseconds since which checks of DNS have found the state in \`seen\`; NULL: it was not checked yet, or the time is not known.
ALTER TABLE dkim_keys ADD COLUMN seen_since bigint;
`
