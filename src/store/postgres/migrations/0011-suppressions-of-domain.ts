/**
 * Suppressions that came from one sending domain, in the orders in which they are listed: for keys of that domain. Over
 * expressions, so that who asks in these words gets these, and none that is walked past those of all other domains.
 */
export const sql = `
CREATE INDEX suppressions_newest_of_domain ON suppressions (company, (type || ' ' || domain_id), id)
  WHERE domain_id IS NOT NULL;
CREATE INDEX suppressions_by_address_of_domain ON suppressions (company, (type || ' ' || domain_id), (folded || ''))
  WHERE domain_id IS NOT NULL;
`
