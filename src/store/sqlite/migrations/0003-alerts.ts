export const sql = `
-- Troubles that operators are told of: the row goes when its end has been told.
CREATE TABLE alerts (
  id            TEXT PRIMARY KEY,
  -- NULL: the trouble concerns the installation.
  company_id    TEXT,
  title         TEXT NOT NULL,
  found         TEXT NOT NULL,
  advice        TEXT,
  since         INTEGER NOT NULL,
  -- When its beginning was told.
  told_at       INTEGER,
  ended_at      INTEGER,
  -- Until then one node tells of it.
  claimed_until INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
`
