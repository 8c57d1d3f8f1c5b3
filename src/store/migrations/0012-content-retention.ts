export const sql = `
-- Milliseconds for which the company keeps the content of finished emails; NULL: as long as the installation.
ALTER TABLE companies ADD COLUMN content_retention {big};
`
