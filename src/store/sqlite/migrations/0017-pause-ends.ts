export const sql = `
-- Unix milliseconds: the pause ends by itself then; NULL: only an operator ends it.
ALTER TABLE pauses ADD COLUMN until INTEGER;
ALTER TABLE site_pauses ADD COLUMN until INTEGER;
-- The operator's words; NULL: none.
ALTER TABLE pauses ADD COLUMN reason TEXT;
ALTER TABLE site_pauses ADD COLUMN reason TEXT;
`
