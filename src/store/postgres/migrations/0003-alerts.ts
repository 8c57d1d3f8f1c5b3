export const sql = `
-- Troubles that operators are told of: the row goes when its end has been told.
CREATE TABLE alerts (
  id            text COLLATE "C" PRIMARY KEY,
  -- NULL: the trouble concerns the installation.
  company_id    text,
  title         text NOT NULL,
  found         text NOT NULL,
  advice        text,
  since         bigint NOT NULL,
  -- When its beginning was told.
  told_at       bigint,
  ended_at      bigint,
  -- Until then one node tells of it.
  claimed_until bigint NOT NULL DEFAULT 0
);
`
