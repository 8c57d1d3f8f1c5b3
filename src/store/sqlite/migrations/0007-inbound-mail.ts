export const sql = `
-- Returned mail. Rows are removed by age; of mail that changed nothing, only the newest is kept.
CREATE TABLE inbound_mails (
  id        TEXT PRIMARY KEY,
  -- Equal for the same mail, whichever way it arrives.
  digest    TEXT NOT NULL UNIQUE,
  at        INTEGER NOT NULL,
  -- How often it has arrived.
  times     INTEGER NOT NULL DEFAULT 1,
  -- Where it arrived, and from whom.
  source    TEXT NOT NULL,
  peer      TEXT NOT NULL,
  recipient TEXT,
  sender    TEXT NOT NULL,
  subject   TEXT NOT NULL,
  kind      TEXT NOT NULL,
  -- NULL: it is about no known email.
  company   INTEGER,
  email_id  TEXT,
  outcome   TEXT NOT NULL,
  -- Events that it led to.
  events    INTEGER NOT NULL,
  -- The recipients that it reports on, in JSON.
  findings  TEXT NOT NULL,
  -- Octets that arrived; raw has the first of them.
  size      INTEGER NOT NULL,
  raw       BLOB NOT NULL
) STRICT;
CREATE INDEX inbound_mails_by_time ON inbound_mails (at);
CREATE INDEX inbound_mails_by_outcome ON inbound_mails (outcome, id);
CREATE INDEX inbound_mails_by_company ON inbound_mails (company, id) WHERE company IS NOT NULL;
CREATE INDEX inbound_mails_by_email ON inbound_mails (email_id, id) WHERE email_id IS NOT NULL;
-- A Message-ID of our own contains the email's id, which has an index.
CREATE INDEX emails_by_message_id ON emails (message_id) WHERE substr(message_id, 2, 36) <> id;
`
