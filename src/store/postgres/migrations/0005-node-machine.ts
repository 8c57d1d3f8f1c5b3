/**
 * Where a node that starts again under its name finds itself (src/cluster/name-claim.ts); NULL: such a node is not
 * known.
 */
export const sql = `
ALTER TABLE nodes ADD COLUMN machine text;
`
