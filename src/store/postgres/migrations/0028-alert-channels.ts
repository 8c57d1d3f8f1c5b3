export const sql = `
-- As JSON: the channels told of the beginning; once some were told of the end, those that were not. NULL: told_at is
-- that of all channels.
ALTER TABLE alerts ADD COLUMN told_to text;
`
