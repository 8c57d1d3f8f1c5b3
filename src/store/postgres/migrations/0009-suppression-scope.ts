/**
 * The lists of suppressed and allowed addresses have entries of each sending domain, beside those of the whole company.
 */
export const sql = `
-- domain_id: the sending domain whose list has the entry; '': that of the company.
UPDATE suppressions SET domain_id = '' WHERE domain_id IS NULL;
ALTER TABLE suppressions ALTER COLUMN domain_id SET DEFAULT '';
ALTER TABLE suppressions ALTER COLUMN domain_id SET NOT NULL;
ALTER TABLE suppressions DROP CONSTRAINT suppressions_pkey,
  ADD CONSTRAINT suppressions_pkey PRIMARY KEY (company, folded, type, domain_id);
DROP INDEX suppressions_newest_of_domain;
DROP INDEX suppressions_by_address_of_domain;
CREATE INDEX suppressions_newest_of_domain ON suppressions ((company + 0), (type || ' ' || domain_id), uuid_send(id))
  WHERE domain_id <> '';
CREATE INDEX suppressions_by_address_of_domain ON suppressions ((company - 0), (type || ' ' || domain_id), folded)
  WHERE domain_id <> '';

-- domain_id: as in suppressions.
ALTER TABLE allowed ADD COLUMN domain_id text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE allowed DROP CONSTRAINT allowed_pkey, ADD CONSTRAINT allowed_pkey PRIMARY KEY (company, folded, domain_id);
CREATE INDEX allowed_of_domain ON allowed ((company - 0), domain_id, folded) WHERE domain_id <> '';

-- Recipients whose mailbox was full, for as long as they count.
CREATE TABLE full_mailboxes (
  company  integer NOT NULL REFERENCES companies (num),
  folded   text COLLATE "C" NOT NULL,
  email    uuid NOT NULL,
  position integer NOT NULL,
  at       bigint NOT NULL,
  PRIMARY KEY (company, folded, email, position)
);
CREATE INDEX full_mailboxes_by_age ON full_mailboxes (at);
`
