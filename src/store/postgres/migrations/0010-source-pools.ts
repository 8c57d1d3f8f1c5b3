/** Source addresses, pools of them, and what nodes have learnt about the paths from them. */
export const sql = `
CREATE TABLE source_pools (
  name       text COLLATE "C" PRIMARY KEY,
  -- A list of IP addresses, as JSON.
  addresses  text NOT NULL,
  -- When the warm-up of addresses began, in Unix milliseconds by address, as JSON.
  warming    text NOT NULL,
  created_at bigint NOT NULL
);
-- Messages of a day from addresses that are warming up.
CREATE TABLE warm_up_counts (
  -- Days since 1970, in UTC.
  day      bigint NOT NULL,
  source   text COLLATE "C" NOT NULL,
  -- Key of the site.
  site     text COLLATE "C" NOT NULL,
  messages bigint NOT NULL,
  PRIMARY KEY (day, source, site)
);
-- What nodes have learnt about paths: see store/shared-paths.ts.
CREATE TABLE shared_paths (
  key        text COLLATE "C" PRIMARY KEY,
  -- The token of the node that has learnt it last.
  node       bigint NOT NULL,
  -- Unix milliseconds, by the clock of that node.
  changed_at bigint NOT NULL,
  -- An object, as JSON.
  state      text NOT NULL
) WITH (fillfactor = 20);
-- The name of the pool that the mail of the company leaves from.
ALTER TABLE companies ADD COLUMN pool text;
-- An address, or the name of a pool, that the sender chose.
ALTER TABLE emails ADD COLUMN source text;
-- The address that the attempt was made from; NULL: the system chose it.
ALTER TABLE attempts ADD COLUMN source text;
`
