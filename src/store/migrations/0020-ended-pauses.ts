export const sql = `
-- Unix milliseconds: when an operator has ended the pause; NULL: nobody has. Its negative is in "until", which alone tells a node of an
-- earlier version that the pause is over.
ALTER TABLE pauses ADD COLUMN ended {big};
UPDATE pauses SET ended = -until WHERE until < 0;
`
