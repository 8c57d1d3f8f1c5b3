export const sql = `
-- Domains that wait for their first records are checked, too.
CREATE INDEX domains_to_set_up ON domains (check_due_at) WHERE sending = 'inactive' AND lost_since IS NULL;
`
