/** Pauses of sites, and the tries of closed paths that all nodes share. */
export const sql = `
CREATE TABLE site_pauses (
  -- 0: of all companies.
  company integer NOT NULL,
  -- Key of the site.
  site    text COLLATE "C" NOT NULL,
  name    text COLLATE "C" NOT NULL,
  since   bigint NOT NULL,
  PRIMARY KEY (company, site)
);
-- Tries of closed paths: see store/shared-paths.ts.
CREATE TABLE path_tries (
  key       text COLLATE "C" PRIMARY KEY,
  -- The token of the node that tries the path, or has tried it last.
  node      bigint NOT NULL,
  -- Unix milliseconds, by the clock of that node: no other node tries the path until then.
  until     bigint NOT NULL,
  -- 1: the try has not ended.
  under_way integer NOT NULL
) WITH (fillfactor = 50);
`
