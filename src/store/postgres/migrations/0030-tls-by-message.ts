export const sql = `
-- The demand in tls is the message's own; otherwise its domain's.
ALTER TABLE emails ADD COLUMN tls_by_message boolean NOT NULL DEFAULT false;
`
