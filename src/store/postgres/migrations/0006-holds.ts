/**
 * What a recipient is held for ('domain': its sending domain may not send; 'path': the path it takes is closed), and
 * whose release makes it due.
 */
export const sql = `
ALTER TABLE queue RENAME COLUMN held_for TO held_domain;
ALTER TABLE queue ADD COLUMN held_for text;
UPDATE queue q SET held_for = CASE WHEN r.postponed_since IS NULL THEN 'domain' ELSE 'path' END
FROM recipients r WHERE q.held_domain IS NOT NULL AND r.email = q.email AND r.position = q.position;
`
