export const sql = `
-- The digest of the company's logo; NULL: it has none.
ALTER TABLE companies ADD COLUMN logo {text};

CREATE TABLE company_logos (
  company {int} PRIMARY KEY REFERENCES companies (num),
  type    {text} NOT NULL,
  octets  {octets} NOT NULL
){strict};
`
