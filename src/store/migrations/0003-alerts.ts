export const sql = `
-- Troubles that operators are told of: the row goes when its end has been told.
CREATE TABLE alerts (
  id            {id} PRIMARY KEY,
  -- NULL: the trouble concerns the installation.
  company_id    {text},
  title         {text} NOT NULL,
  found         {text} NOT NULL,
  advice        {text},
  since         {big} NOT NULL,
  -- When its beginning was told.
  told_at       {big},
  ended_at      {big},
  -- Until then one node tells of it.
  claimed_until {big} NOT NULL DEFAULT 0
){keyed};
-- The kinds of troubles that the person wants to be told of, as JSON.
ALTER TABLE people ADD COLUMN alerts {text} NOT NULL DEFAULT '[]';
`
