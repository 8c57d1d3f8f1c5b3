export const sql = `
-- Ids of domains of the same company that mail of this one may be from as well, in JSON; NULL: none.
ALTER TABLE domains ADD COLUMN speaks_for text;
`
