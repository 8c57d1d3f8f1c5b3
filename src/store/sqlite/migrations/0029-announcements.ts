export const sql = `
-- What each channel knows about a problem.
CREATE TABLE announcements (
  alert_id      TEXT NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
  channel       TEXT NOT NULL,
  -- 'nothing', 'beginning' or 'end'.
  knows         TEXT NOT NULL,
  -- The first try to announce the present beginning or end. NULL: nothing is being announced.
  tried_since   INTEGER,
  -- Until then no other node announces it; after a failure, no node does.
  claimed_until INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (alert_id, channel)
) STRICT, WITHOUT ROWID;
INSERT INTO announcements (alert_id, channel, knows)
  SELECT DISTINCT alerts.id, value, 'beginning' FROM alerts, json_each(told_to) WHERE told_to IS NOT NULL;
ALTER TABLE alerts DROP COLUMN told_at;
ALTER TABLE alerts DROP COLUMN told_to;
ALTER TABLE alerts DROP COLUMN claimed_until;
`
