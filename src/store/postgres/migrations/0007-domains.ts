/** Settings of sending domains, what DNS had of their records, and those that were removed. */
export const sql = `
-- JSON; NULL: what every domain has.
ALTER TABLE domains ADD COLUMN settings text;
-- JSON, by kind of record; NULL: DNS was not asked yet.
ALTER TABLE domains ADD COLUMN seen text;

-- Mail from them may still wait: by this it is told from mail of a domain that a node does not know yet.
CREATE TABLE removed_domains (
  id         text COLLATE "C" PRIMARY KEY,
  company    integer NOT NULL REFERENCES companies (num),
  name       text NOT NULL,
  removed_at bigint NOT NULL
);
`
