/**
 * Suppressions have a type, and may be there for some tags only; companies have limits.
 *
 * - `suppressions.marks`: what the tags are in the text of an email's own tags (`marksOf`), so that statements need not
 *   read either as JSON. A lookup by company and address gives the types in their order.
 * - `allowed`: addresses and domains that bounces do not suppress.
 * - `quotas`: how many recipients a company had on one day (`2026-11-20`) and in one month (`2026-11`), in UTC. A row
 *   for each company that has a quota, locked by whoever accepts mail of that company.
 * - `idempotency.emails`: ids and Message-IDs, as JSON, of all emails that came with the key in one request; NULL: it
 *   was one.
 */
export const sql = `
ALTER TABLE suppressions
  ADD COLUMN id uuid,
  ADD COLUMN type text COLLATE "C",
  ADD COLUMN tags text,
  ADD COLUMN marks text,
  ADD COLUMN code integer,
  ADD COLUMN domain_id text COLLATE "C";
UPDATE suppressions SET id = gen_random_uuid(), type = CASE WHEN email_id IS NULL THEN 'manual' ELSE 'bounce' END;
ALTER TABLE suppressions ALTER COLUMN id SET NOT NULL, ALTER COLUMN type SET NOT NULL,
  DROP CONSTRAINT suppressions_pkey, ADD PRIMARY KEY (company, folded, type);
CREATE UNIQUE INDEX suppressions_by_id ON suppressions (id);
CREATE INDEX suppressions_newest ON suppressions (company, type, id);
-- Over an expression, so that who asks for it in these words gets this one, and not the primary key: that one has the same
-- columns, and would be walked past all other types.
CREATE INDEX suppressions_by_address ON suppressions (company, type, (folded || ''));

CREATE TABLE allowed (
  company    integer NOT NULL REFERENCES companies (num),
  folded     text COLLATE "C" NOT NULL,
  value      text NOT NULL,
  kind       text NOT NULL,
  reason     text,
  created_at bigint NOT NULL,
  PRIMARY KEY (company, folded)
);

ALTER TABLE companies ADD COLUMN rate_limit integer, ADD COLUMN daily_limit bigint, ADD COLUMN monthly_limit bigint;

CREATE TABLE quotas (
  company integer PRIMARY KEY,
  day     text NOT NULL,
  daily   bigint NOT NULL,
  month   text NOT NULL,
  monthly bigint NOT NULL
) WITH (fillfactor = 20);

ALTER TABLE idempotency ADD COLUMN emails text;
`
