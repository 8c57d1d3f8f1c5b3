export const sql = `
-- The part of a message that is AMP for Email.
ALTER TABLE contents ADD COLUMN amp TEXT;
`
