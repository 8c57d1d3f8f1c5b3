export const sql = `
-- True: the demand in tls is the message's own. False: a demand there is its sending domain's.
ALTER TABLE emails ADD COLUMN tls_by_message boolean NOT NULL DEFAULT false;
`
