/** Statements about followers, for both databases. `given`: the parameter at a position, from 1. */
export function followerStatements(given: (position: number) => string) {
  const [name, cursor, token] = [given(1), given(2), given(3)]
  return {
    /** Parameters: name, start, token. A node that was given up takes nothing. */
    take: `INSERT INTO followers AS f (name, cursor, lease)
      SELECT n.name, n.cursor, n.token FROM (SELECT ${name} AS name, ${cursor} AS cursor, ${token} AS token) AS n
      WHERE EXISTS (SELECT 1 FROM nodes WHERE token = n.token)
      ON CONFLICT (name) DO UPDATE SET lease = excluded.lease
      WHERE f.lease = excluded.lease OR NOT EXISTS (SELECT 1 FROM nodes WHERE token = f.lease)
      RETURNING cursor`,
    /** Parameters: name, to, token, from. */
    advance: `UPDATE followers SET cursor = ${cursor} WHERE name = ${name} AND lease = ${token} AND cursor = ${given(4)}
      RETURNING cursor`,
  }
}
