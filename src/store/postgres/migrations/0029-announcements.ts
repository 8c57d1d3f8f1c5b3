export const sql = `
-- What each channel knows about a problem.
CREATE TABLE announcements (
  alert_id      text COLLATE "C" NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
  channel       text COLLATE "C" NOT NULL,
  -- 'nothing', 'beginning' or 'end'.
  knows         text NOT NULL,
  -- The first try to announce the present beginning or end. NULL: nothing is being announced.
  tried_since   bigint,
  -- Until then no other node announces it; after a failure, no node does.
  claimed_until bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (alert_id, channel)
);
INSERT INTO announcements (alert_id, channel, knows)
  SELECT DISTINCT alerts.id, value, 'beginning' FROM alerts, json_array_elements_text(told_to::json) WHERE told_to IS NOT NULL;
-- Only nodes of the version before read told_at, told_to and claimed_until. They raise and end problems, and must not
-- announce any: to them, all of the table is claimed by another node.
UPDATE alerts SET claimed_until = 9007199254740991;
ALTER TABLE alerts ALTER COLUMN claimed_until SET DEFAULT 9007199254740991;
`
