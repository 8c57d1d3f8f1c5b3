export const sql = `
-- As JSON: the channels told of the beginning; while the end is told, those that do not know of it yet. NULL: told_at
-- holds for all channels.
ALTER TABLE alerts ADD COLUMN told_to {text};
`
