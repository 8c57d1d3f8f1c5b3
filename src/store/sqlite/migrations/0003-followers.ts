/** Who follows the log of events durably; `lease`: the token of the node that does. */
export const sql = `
CREATE TABLE followers (
  name   TEXT PRIMARY KEY,
  cursor INTEGER NOT NULL,
  lease  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
