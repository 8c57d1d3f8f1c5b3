/**
 * Routes of a company's own, or of one of its domains (`domain_id`; '': of all that have none). The credentials are
 * sealed.
 */
export const sql = `
CREATE TABLE routes (
  company    integer NOT NULL REFERENCES companies (num),
  domain_id  text COLLATE "C" NOT NULL,
  id         text NOT NULL UNIQUE,
  url        text NOT NULL,
  sealed     bytea,
  created_at bigint NOT NULL,
  PRIMARY KEY (company, domain_id)
);
`
