/** Source addresses: pools of them, and what leaves from each. */
export const sql = `
CREATE TABLE source_pools (
  name       text COLLATE "C" PRIMARY KEY,
  -- A list of IP addresses, as JSON.
  addresses  text NOT NULL,
  created_at bigint NOT NULL
);
-- The name of the pool that the mail of the company leaves from.
ALTER TABLE companies ADD COLUMN pool text;
-- An address, or the name of a pool, that the sender chose.
ALTER TABLE emails ADD COLUMN source text;
-- The address that the attempt was made from; NULL: the system chose it.
ALTER TABLE attempts ADD COLUMN source text;
`
