/** Pauses of sites, and the tries of closed paths that all nodes share. */
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
-- Tries of closed paths: see store/shared-paths.ts.
CREATE TABLE path_tries (
  key       TEXT PRIMARY KEY,
  -- The token of the node that tries the path, or has tried it last.
  node      INTEGER NOT NULL,
  -- Unix milliseconds, by the clock of that node: no other node tries the path until then.
  until     INTEGER NOT NULL,
  -- 1: the try has not ended.
  under_way INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
