/** Settings of sending domains, what DNS had of their records, and those that were removed. */
export const sql = `
-- JSON; NULL: what every domain has.
ALTER TABLE domains ADD COLUMN settings TEXT;
-- JSON, by kind of record; NULL: DNS was not asked yet.
ALTER TABLE domains ADD COLUMN seen TEXT;

-- Mail from them may still wait: by this it is told from mail of a domain that a node does not know yet.
CREATE TABLE removed_domains (
  id         TEXT PRIMARY KEY,
  company    INTEGER NOT NULL REFERENCES companies (num),
  name       TEXT NOT NULL,
  removed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
