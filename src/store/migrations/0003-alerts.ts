export const sql = `
-- Problems that people are told of. A row is removed once its end has been announced.
CREATE TABLE alerts (
  id            {id} PRIMARY KEY,
  -- NULL: the problem concerns the installation.
  company_id    {text},
  title         {text} NOT NULL,
  found         {text} NOT NULL,
  advice        {text},
  since         {big} NOT NULL,
  -- When its beginning was announced.
  told_at       {big},
  ended_at      {big},
  -- Until then one node announces it.
  claimed_until {big} NOT NULL DEFAULT 0
){keyed};
-- The kinds of problems that the person wants to be told of, as JSON.
ALTER TABLE people ADD COLUMN alerts {text} NOT NULL DEFAULT '[]';
`
