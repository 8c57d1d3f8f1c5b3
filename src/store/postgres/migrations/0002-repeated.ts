/**
 * `repeated`: another request with the key has been answered with its email, which is thereby promised to be sent and
 * may no longer be withdrawn for a commit whose outcome its first sender was not told.
 */
export const sql = `
ALTER TABLE idempotency ADD COLUMN repeated boolean NOT NULL DEFAULT false;
`
