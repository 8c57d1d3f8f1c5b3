/** DKIM keys that are published before mail is signed with them, each of its domain with a selector of its own. */
export const sql = `
ALTER TABLE dkim_keys ADD COLUMN active boolean NOT NULL DEFAULT true;
CREATE UNIQUE INDEX dkim_selectors ON dkim_keys (domain_id, selector);
`
