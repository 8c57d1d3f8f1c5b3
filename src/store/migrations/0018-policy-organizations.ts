export const sql = `
-- The organization of the domain, which shares the number of policies that are kept for it; '': not known yet.
ALTER TABLE mta_sts_policies ADD COLUMN organization {id} NOT NULL DEFAULT '';
CREATE INDEX mta_sts_policies_by_organization ON mta_sts_policies (organization, fetched_at);
CREATE INDEX mta_sts_policies_by_fetch ON mta_sts_policies (fetched_at);
`
