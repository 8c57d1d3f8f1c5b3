/**
 * What a recipient is held for, and whether it is to be canceled, stand in its own row. Of the holds only those count
 * whose time is still the recipient's.
 */
export const sql = `
-- 'domain': its sending domain may not send; 'path': the path it takes is closed. And the sending domain (id) whose release makes it due.
ALTER TABLE recipients ADD COLUMN held_for TEXT;
ALTER TABLE recipients ADD COLUMN held_domain TEXT;
-- 1: it is being sent, and ends as canceled unless its attempt ends it.
ALTER TABLE recipients ADD COLUMN cancel INTEGER NOT NULL DEFAULT 0;

UPDATE recipients SET held_for = CASE WHEN postponed_since IS NULL THEN 'domain' ELSE 'path' END, held_domain = h.domain_id
FROM held_recipients h
WHERE h.email = recipients.email AND h.position = recipients.position AND h.due_at = recipients.due_at
  AND recipients.state = 'waiting';
UPDATE recipients SET cancel = 1 FROM cancel_requests c
WHERE c.email = recipients.email AND c.position = recipients.position AND recipients.state = 'sending';

DROP TABLE held_recipients;
DROP TABLE cancel_requests;
CREATE INDEX recipients_held ON recipients (held_domain) WHERE held_domain IS NOT NULL;
CREATE INDEX recipients_to_cancel ON recipients (email) WHERE cancel = 1;
`
