import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import { STATEMENTS } from '../../src/store/cold/statement.ts'
import { openForWriting } from '../../src/store/sqlite/database.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import { UNCHANGED } from '../../src/store/sqlite/protocol.ts'
import { readOperations } from '../../src/store/sqlite/read/operations.ts'
import { Damage } from '../../src/store/sqlite/write/damage.ts'
import { writeOperations } from '../../src/store/sqlite/write/operations.ts'
import { StateCaches } from '../../src/store/sqlite/write/state-caches.ts'
import { temporaryDirectory } from './directory.ts'

/**
 * Rows that are as many as there is work under way, or as the operator has made; or asked for one time only; or bounded
 * by the statement itself.
 */
const SMALL = [
  /^alerts$/,
  /^announcements$/,
  /^companies$/,
  /^domains$/,
  /^removed_domains$/,
  /^dkim_keys$/,
  /^api_keys$/,
  /^nodes$/,
  /^shared_paths$/,
  /^site_pauses$/,
  /^path_tries$/,
  /^site_reports$/,
  /^pauses$/,
  /^people$/,
  /^routes$/,
  /^source_pools$/,
  /^warm_up_counts$/,
  /^webhooks$/,
  /^lanes$/,
  /INDEX recipients_to_cancel$/,
  /INDEX recipients_sending$/,
  /INDEX recipients_quarantined$/,
  /INDEX mta_sts_policies_by_fetch$/,
]

/** Tells the plan of every statement that is prepared. */
class Explained extends DatabaseSync {
  readonly plans: { sql: string; steps: string[] }[] = []

  override prepare(sql: string): StatementSync {
    const plan = super.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]
    this.plans.push({ sql, steps: plan.map(({ detail }) => detail) })
    return super.prepare(sql)
  }
}

test('no statement of the SQLite store reads through a table that grows with history or with waiting mail', (t) => {
  const path = join(temporaryDirectory(t), 'a.db')
  const first = openForWriting(path)
  migrate(first, path)
  first.close()
  const db = new Explained(path)
  t.after(() => db.close())
  writeOperations(db, { changes: { ...UNCHANGED }, memory: new StateCaches(), damage: new Damage() })
  readOperations(db)
  for (const { sqlite } of STATEMENTS) db.prepare(sqlite)
  assert.ok(db.plans.length > 80)
  const sums = db.plans.filter(({ sql }) => / FROM domain_report_rows WHERE .* GROUP BY /s.test(sql))
  assert.equal(sums.length, 2)
  for (const { steps } of sums) assert.match(steps[0]!, /USING COVERING INDEX domain_report_rows_sums /)

  const scans = db.plans.flatMap(({ sql, steps }) => {
    const names = new Map(
      [...sql.matchAll(/\b(?:FROM|JOIN) (\w+) (?:AS )?(\w)\b/g)].map(([, table, alias]) => [alias, table]),
    )
    // What a query is made of has steps of its own.
    const parts = new Set(
      [...sql.matchAll(/\b(\w+) AS (?:MATERIALIZED )?\(|\) AS (\w+)/g)].map(
        ([, named, alias]) => named ?? alias,
      ),
    )
    return steps.flatMap((step) => {
      const scan = /^SCAN (\w+)(?: USING (?:COVERING )?(INDEX \w+))?/.exec(step)
      if (scan === null || parts.has(scan[1]!)) return []
      const table = names.get(scan[1]) ?? scan[1]!
      return SMALL.some((small) => small.test(table) || small.test(scan[2] ?? '')) ? [] : [`${step}: ${sql}`]
    })
  })
  assert.deepEqual(
    scans.filter(
      (scan) =>
        !/^SCAN (CONSTANT ROW|(held|chosen|looked|[ln]):|\(subquery|\w+ (EXISTS )?VIRTUAL TABLE)/.test(scan),
    ),
    [],
  )
})
