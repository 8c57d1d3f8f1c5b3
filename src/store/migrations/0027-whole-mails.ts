export const sql = `
-- Mails that led to events and are kept whole: the newest of a company, and those of a network of clients. With the outcome as
-- a column, because SQLite would choose the index of all mails of the company.
CREATE INDEX inbound_mails_whole_of_company ON inbound_mails (company, outcome, id) WHERE octet_length(raw) > 4096;
CREATE INDEX inbound_mails_whole_of_client ON inbound_mails (company, client, outcome, id)
  WHERE client IS NOT NULL AND octet_length(raw) > 4096;
`
