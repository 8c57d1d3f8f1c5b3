export const sql = `
-- The company whose key handed the mail in; NULL: it came another way. Mail that changed nothing is kept within shares: of
-- an email, of a company, of what a company handed in about no email, and of all else.
ALTER TABLE inbound_mails ADD COLUMN handed_in_by {int};
CREATE INDEX inbound_mails_of_email ON inbound_mails (email_id, outcome, id) WHERE email_id IS NOT NULL;
CREATE INDEX inbound_mails_of_company ON inbound_mails (company, outcome, id) WHERE company IS NOT NULL;
CREATE INDEX inbound_mails_handed_in ON inbound_mails (handed_in_by, id) WHERE handed_in_by IS NOT NULL AND email_id IS NULL;
CREATE INDEX inbound_mails_of_nobody ON inbound_mails (outcome, id) WHERE handed_in_by IS NULL AND email_id IS NULL;
`
