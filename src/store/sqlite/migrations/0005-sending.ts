/** A recipient that a node has is `sending`, in the database as everywhere. */
export const sql = `
DROP INDEX recipients_leased;
UPDATE recipients SET state = 'sending' WHERE state = 'leased';
CREATE INDEX recipients_sending ON recipients (lease) WHERE state = 'sending';
`
