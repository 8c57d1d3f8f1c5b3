/** What was said of tags that mail of a domain had. */
export const sql = `
CREATE TABLE tags (
  domain_id   text COLLATE "C" NOT NULL,
  tag         text COLLATE "C" NOT NULL,
  description text NOT NULL,
  -- NULL: it is listed.
  removed_at  bigint,
  PRIMARY KEY (domain_id, tag)
);
`
