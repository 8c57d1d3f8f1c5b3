/** What was said of tags that mail of a domain had. */
export const sql = `
CREATE TABLE tags (
  domain_id   TEXT NOT NULL,
  tag         TEXT NOT NULL,
  description TEXT NOT NULL,
  -- NULL: it is listed.
  removed_at  INTEGER,
  PRIMARY KEY (domain_id, tag)
) STRICT, WITHOUT ROWID;
`
