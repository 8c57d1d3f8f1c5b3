export const sql = `
-- The network of the SMTP client that handed the mail over: what it sends about no email has a share of its own.
ALTER TABLE inbound_mails ADD COLUMN client {text};
-- Why a report about a domain was not counted.
ALTER TABLE inbound_mails ADD COLUMN note {text};
CREATE INDEX inbound_mails_of_client ON inbound_mails (client, id) WHERE client IS NOT NULL AND email_id IS NULL;
`
