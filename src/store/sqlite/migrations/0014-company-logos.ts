export const sql = `
-- The digest of the company's logo; NULL: it has none.
ALTER TABLE companies ADD COLUMN logo TEXT;

CREATE TABLE company_logos (
  company INTEGER PRIMARY KEY REFERENCES companies (num),
  type    TEXT NOT NULL,
  octets  BLOB NOT NULL
) STRICT;
`
