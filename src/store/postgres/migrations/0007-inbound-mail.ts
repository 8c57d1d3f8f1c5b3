export const sql = `
-- Returned mail. Rows are removed by age; of mail that changed nothing, only the newest is kept.
CREATE TABLE inbound_mails (
  id        text COLLATE "C" PRIMARY KEY,
  -- Equal for the same mail, whichever way it arrives.
  digest    text NOT NULL UNIQUE,
  at        bigint NOT NULL,
  -- How often it has arrived.
  times     integer NOT NULL DEFAULT 1,
  -- Where it arrived, and from whom.
  source    text NOT NULL,
  peer      text NOT NULL,
  recipient text,
  sender    text NOT NULL,
  subject   text NOT NULL,
  kind      text NOT NULL,
  -- NULL: it is about no known email.
  company   integer,
  email_id  text,
  outcome   text NOT NULL,
  -- Events that it led to.
  events    integer NOT NULL,
  -- The recipients that it reports on, in JSON.
  findings  text NOT NULL,
  -- Octets that arrived; raw has the first of them.
  size      bigint NOT NULL,
  raw       bytea NOT NULL
);
ALTER TABLE inbound_mails ALTER COLUMN raw SET STORAGE EXTERNAL;
CREATE INDEX inbound_mails_by_time ON inbound_mails (at);
CREATE INDEX inbound_mails_by_outcome ON inbound_mails (outcome, id);
CREATE INDEX inbound_mails_by_company ON inbound_mails (company, id) WHERE company IS NOT NULL;
CREATE INDEX inbound_mails_by_email ON inbound_mails (email_id, id) WHERE email_id IS NOT NULL;
-- A Message-ID of our own contains the email's id, which has an index.
CREATE INDEX emails_by_message_id ON emails (message_id) WHERE substr(message_id, 2, 36) <> id::text;
`
