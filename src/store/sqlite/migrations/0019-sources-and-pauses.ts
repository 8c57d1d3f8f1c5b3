export const sql = `
-- JSON: the sources that mail can leave from on the node; NULL: not known.
ALTER TABLE nodes ADD COLUMN sources TEXT;
-- Unix milliseconds: when an operator has ended the pause; NULL: nobody has. Before, a negative end told it.
ALTER TABLE pauses ADD COLUMN ended INTEGER;
UPDATE pauses SET ended = -until, until = NULL WHERE until < 0;
`
