export const sql = `
-- The first characters of the token, by which people recognize it; NULL: the key is older than this column.
ALTER TABLE api_keys ADD COLUMN token_start {text};

-- The last use of each key.
CREATE TABLE key_uses (
  key_id  {text} PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  at      {big} NOT NULL,
  address {text} NOT NULL,
  -- The User-Agent, or SMTP; NULL: the client named none.
  client  {text}
){keyed};
`
