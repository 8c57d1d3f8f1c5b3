/** Emails as a `tsvector` of terms with a GIN index. */
import { Client } from 'pg'
import { term } from './documents.ts'
import type { SearchIndex } from './index.ts'

export async function openGin(url: string): Promise<SearchIndex> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('CREATE TABLE indexed_emails (place bigint PRIMARY KEY, terms tsvector NOT NULL)')
  await client.query('CREATE INDEX indexed_terms ON indexed_emails USING gin (terms)')
  return {
    name: 'GIN',
    async add(emails, bounced) {
      await client.query('BEGIN')
      await client.query(
        `INSERT INTO indexed_emails
         SELECT place, array_to_tsvector(string_to_array(terms, ' ')) FROM unnest($1::bigint[], $2::text[]) AS given (place, terms)`,
        [emails.map(({ place }) => place), emails.map(({ terms }) => terms.join(' '))],
      )
      await client.query(
        'UPDATE indexed_emails SET terms = terms || array_to_tsvector($2::text[]) WHERE place = ANY ($1::bigint[])',
        [bounced.map(({ place }) => place), [term.bounced]],
      )
      await client.query('COMMIT')
    },
    async finish() {
      await client.query('VACUUM ANALYZE indexed_emails')
    },
    async find({ terms, prefix, from, to, limit }) {
      const query = [...terms.map(quoted), ...(prefix === undefined ? [] : [`${quoted(prefix)}:*`])]
      const { rows } = await client.query<{ place: string }>(
        `SELECT place FROM indexed_emails WHERE terms @@ $1::tsquery AND place >= $2 AND place < $3
         ORDER BY place DESC LIMIT $4`,
        [query.join(' & '), from, to, limit],
      )
      return rows.map(({ place }) => Number(place))
    },
    async size() {
      const sql = `SELECT pg_total_relation_size('indexed_emails') AS octets`
      return Number((await client.query<{ octets: string }>(sql)).rows[0]!.octets)
    },
    close: () => client.end(),
  }
}

function quoted(text: string): string {
  return `'${text}'`
}
