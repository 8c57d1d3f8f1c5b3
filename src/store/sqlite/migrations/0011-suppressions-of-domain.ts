/** Suppressions that came from one sending domain, in the orders in which they are listed: for keys of that domain. */
export const sql = `
CREATE INDEX suppressions_newest_of_domain ON suppressions (company, type, domain_id, id) WHERE domain_id IS NOT NULL;
CREATE INDEX suppressions_by_address_of_domain ON suppressions (company, type, domain_id, address) WHERE domain_id IS NOT NULL;
`
