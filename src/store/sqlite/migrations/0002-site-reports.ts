/** The sites as each node sees them, for people: mail does not depend on it. */
export const sql = `
CREATE TABLE site_reports (
  node  INTEGER PRIMARY KEY,
  -- Unix milliseconds, by the clock of the node.
  at    INTEGER NOT NULL,
  -- A list of objects: see store/site-state.ts.
  sites TEXT NOT NULL
) STRICT;
`
