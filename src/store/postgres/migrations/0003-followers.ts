/** Who follows the log of events durably; `lease`: the token of the node that does. */
export const sql = `
CREATE TABLE followers (
  name   text COLLATE "C" PRIMARY KEY,
  cursor bigint NOT NULL,
  lease  bigint NOT NULL
) WITH (fillfactor = 20);
`
