/** Emails in a contentless FTS5 table, with one column of terms, each prefixed with its kind. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { term } from './documents.ts'
import type { SearchIndex } from './index.ts'

/** `none` keeps only which rows have a term, which is all that these questions need; `full` keeps positions as well. */
export type Detail = 'none' | 'full'

export function openFts5(directory: string, detail: Detail): SearchIndex {
  const path = join(directory, `fts5-${detail}.db`)
  const db = new DatabaseSync(path)
  db.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec('PRAGMA cache_size = -12288')
  db.exec(`CREATE VIRTUAL TABLE emails USING fts5 (
    terms, content = '', contentless_delete = 1, detail = ${detail}, prefix = '6',
    tokenize = "unicode61 tokenchars ':@._-'"
  )`)
  const insert = db.prepare('INSERT INTO emails (rowid, terms) VALUES (?, ?)')
  const remove = db.prepare('DELETE FROM emails WHERE rowid = ?')
  const find = db.prepare(`
    SELECT rowid AS place FROM emails WHERE emails MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ?
  `)
  return {
    name: `FTS5, detail=${detail}`,
    async add(emails, bounced) {
      db.exec('BEGIN')
      for (const { place, terms } of emails) insert.run(place, terms.join(' '))
      // To add one term, FTS5 needs all terms of the email again.
      for (const { place, terms } of bounced) {
        remove.run(place)
        insert.run(place, [...terms, term.bounced].join(' '))
      }
      db.exec('COMMIT')
    },
    async finish() {
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    },
    async find({ terms, prefix, from, to, limit }) {
      const query = [...terms.map(quoted), ...(prefix === undefined ? [] : [`${quoted(prefix)} *`])]
      return find.all(query.join(' AND '), from, to, limit).map(({ place }) => place as number)
    },
    size: async () => statSync(path).size,
    close: async () => db.close(),
  }
}

function quoted(text: string): string {
  return `"${text}"`
}
