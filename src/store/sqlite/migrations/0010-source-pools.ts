/** Source addresses, pools of them, and what nodes have learnt about the paths from them. */
export const sql = `
CREATE TABLE source_pools (
  name       TEXT PRIMARY KEY,
  -- A list of IP addresses, as JSON.
  addresses  TEXT NOT NULL,
  -- When the warm-up of addresses began, in Unix milliseconds by address, as JSON.
  warming    TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Messages of a day from addresses that are warming up.
CREATE TABLE warm_up_counts (
  -- Days since 1970, in UTC.
  day      INTEGER NOT NULL,
  source   TEXT NOT NULL,
  -- Key of the site.
  site     TEXT NOT NULL,
  messages INTEGER NOT NULL,
  PRIMARY KEY (day, source, site)
) STRICT, WITHOUT ROWID;
-- What nodes have learnt about paths: see store/shared-paths.ts.
CREATE TABLE shared_paths (
  key        TEXT PRIMARY KEY,
  -- The token of the node that has learnt it last.
  node       INTEGER NOT NULL,
  -- Unix milliseconds, by the clock of that node.
  changed_at INTEGER NOT NULL,
  -- An object, as JSON.
  state      TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- The name of the pool that the mail of the company leaves from.
ALTER TABLE companies ADD COLUMN pool TEXT;
-- An address, or the name of a pool, that the sender chose.
ALTER TABLE emails ADD COLUMN source TEXT;
-- The address that the attempt was made from; NULL: the system chose it.
ALTER TABLE attempts ADD COLUMN source TEXT;
`
