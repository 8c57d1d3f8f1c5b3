/**
 * Routes of a company's own, or of one of its domains (`domain_id`; '': of all that have none). The credentials are
 * sealed.
 */
export const sql = `
CREATE TABLE routes (
  company    INTEGER NOT NULL REFERENCES companies (num),
  domain_id  TEXT NOT NULL,
  id         TEXT NOT NULL UNIQUE,
  url        TEXT NOT NULL,
  sealed     BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (company, domain_id)
) STRICT, WITHOUT ROWID;
`
