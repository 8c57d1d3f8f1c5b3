export const sql = `
-- The digest of the company's logo; NULL: it has none.
ALTER TABLE companies ADD COLUMN logo text;

CREATE TABLE company_logos (
  company integer PRIMARY KEY REFERENCES companies (num),
  type    text NOT NULL,
  octets  bytea NOT NULL
);
`
