/** Pauses of sites. */
export const sql = `
CREATE TABLE site_pauses (
  -- 0: of all companies.
  company INTEGER NOT NULL,
  -- Key of the site.
  site    TEXT NOT NULL,
  name    TEXT NOT NULL,
  since   INTEGER NOT NULL,
  PRIMARY KEY (company, site)
) STRICT, WITHOUT ROWID;
`
