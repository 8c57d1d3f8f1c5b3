export const sql = `
-- The sender wants no attempt from then on (Unix ms); NULL: the retry schedule decides.
ALTER TABLE emails ADD COLUMN give_up_at {big};
`
