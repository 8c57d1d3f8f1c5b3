export const sql = `
-- Events that record a report from outside, whose id is in the detail.
CREATE INDEX events_by_report ON events (email, recipient) WHERE detail LIKE '%"reportId":%';
`
