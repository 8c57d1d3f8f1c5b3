/** Source addresses: pools of them, and what leaves from each. */
export const sql = `
CREATE TABLE source_pools (
  name       TEXT PRIMARY KEY,
  -- A list of IP addresses, as JSON.
  addresses  TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- The name of the pool that the mail of the company leaves from.
ALTER TABLE companies ADD COLUMN pool TEXT;
-- An address, or the name of a pool, that the sender chose.
ALTER TABLE emails ADD COLUMN source TEXT;
-- The address that the attempt was made from; NULL: the system chose it.
ALTER TABLE attempts ADD COLUMN source TEXT;
`
