export const sql = `
-- JSON: the sources that mail can leave from on the node; NULL: not known.
ALTER TABLE nodes ADD COLUMN sources {text};
`
