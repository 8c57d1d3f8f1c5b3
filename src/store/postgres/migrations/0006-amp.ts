export const sql = `
-- The part of a message that is AMP for Email.
ALTER TABLE emails ADD COLUMN amp bytea;
ALTER TABLE emails ALTER COLUMN amp SET STORAGE EXTERNAL;
`
