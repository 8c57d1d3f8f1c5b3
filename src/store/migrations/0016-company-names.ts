export const sql = `
-- The owners' name for the company, beside the operator's; NULL: they have chosen none.
ALTER TABLE companies ADD COLUMN own_name {text};
`
