export const sql = `
-- JSON: the files within a ready message; NULL: it is none, or its content was removed, or it is older.
ALTER TABLE emails ADD COLUMN raw_files {text};
`
