export const sql = `
-- Unix milliseconds: the pause ends by itself then; NULL: only an operator ends it.
ALTER TABLE pauses ADD COLUMN until {big};
ALTER TABLE site_pauses ADD COLUMN until {big};
-- The operator's words; NULL: none.
ALTER TABLE pauses ADD COLUMN reason {text};
ALTER TABLE site_pauses ADD COLUMN reason {text};
`
