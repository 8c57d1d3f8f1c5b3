/** A key may have an end (Unix ms) and source networks (a list as JSON; NULL: any). */
export const sql = `
ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
ALTER TABLE api_keys ADD COLUMN networks TEXT;
`
