/** How long pages of emails, events and suppressions take in a company with a long history. See `--help`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { count, parseOptions } from '../harness/options.ts'
import { Random } from '../harness/random.ts'
import { provenance } from '../harness/results.ts'
import type { Settings } from '../src/config/settings.ts'
import { openStore } from '../src/store/open.ts'
import type { Store } from '../src/store/store.ts'
import { fillPostgres } from './history/fill-postgres.ts'
import { fillSqlite } from './history/fill-sqlite.ts'
import { WEEKS_OF_HISTORY } from './history/shape.ts'
import { addCompany, addSuppressions, digestAll } from './listing/company.ts'
import { questions } from './listing/questions.ts'
import { type ListingRow, type ListingRun, listingLine } from './listing/report.ts'
import { PLACE_HELP, PLACE_OPTIONS, placeOf, USUAL_HELP, USUAL_OPTIONS } from './options.ts'
import { keepResult } from './results.ts'
import { openDatabase } from './service/database.ts'
import { percentile } from './statistics.ts'

const HELP = `Usage: node bench/listing.ts [options]

Fills a database with the emails of one company, lets what searches need be made of their events, and asks for pages of emails, of
events and of suppressions, one after the other, as the dialects do (without HTTP). Prints ms for each question; exits with 1 when the
p99 of one that an index serves is above --most. Two million emails take about 8 GB of disk.

  --history N        finished emails, all of one company (${WEEKS_OF_HISTORY.emails})
  --suppressions N   suppressed addresses (100000)
  --rounds N         times each question is asked, about another email, time, ... (300)
  --most MS          what the p99 may be (20)
${PLACE_HELP}${USUAL_HELP}`

const values = parseOptions(HELP, {
  history: { type: 'string', default: String(WEEKS_OF_HISTORY.emails) },
  suppressions: { type: 'string', default: '100000' },
  rounds: { type: 'string', default: '300' },
  most: { type: 'string', default: '20' },
  ...PLACE_OPTIONS,
  ...USUAL_OPTIONS,
})
const shape = { ...WEEKS_OF_HISTORY, emails: count('history', values.history), waiting: 0, related: true }
const rounds = count('rounds', values.rounds)
const most = count('most', values.most)
const suppressions = count('suppressions', values.suppressions)
const place = placeOf(values)

const directory = mkdtempSync(join(place.parent, 'postroad-listing-'))
const database = await openDatabase(place.database, place.cpus)
try {
  const url = await database.fresh()
  const settings: Settings['database'] =
    url === null ? { engine: 'sqlite', path: join(directory, 'postroad.db') } : { engine: 'postgres', url }
  const company = await withStore(settings, (store) => addCompany(store))
  const progress = (written: number, of: number) => process.stderr.write(`\r${written} of ${of} emails`)
  if (settings.engine === 'sqlite') await fillSqlite(settings.path, [company], shape, progress)
  else await fillPostgres(settings.url, [company], shape, progress)
  process.stderr.write('\n')

  await withStore(settings, async (store) => {
    await addSuppressions(store, company.companyId, suppressions)
    const made = await digestAll(store)
    process.stdout.write(
      `${database.name}: ${shape.emails} emails, ${made.events} events; made ready for searches at ${Math.round(made.events / made.seconds)} events/s\n`,
    )
    const rows: ListingRow[] = []
    for (const question of await questions(store, company, new Random(1))) {
      await question.ask()
      const ms = new Float64Array(rounds)
      let found = 0
      for (let round = 0; round < rounds; round++) {
        const began = performance.now()
        found += await question.ask()
        ms[round] = performance.now() - began
      }
      const row = {
        question: question.name,
        served: question.served,
        median: percentile(ms, 50),
        p99: percentile(ms, 99),
        found: found / rounds,
      }
      rows.push(row)
      process.stdout.write(`${listingLine(row)}\n`)
    }
    const slow = rows.filter(({ served, p99 }) => served && p99 > most)
    if (!values['no-keep']) {
      const run: ListingRun = {
        ...provenance(),
        database: database.name,
        shape,
        suppressions,
        rounds,
        digest: made,
        rows,
      }
      process.stdout.write(`kept in ${keepResult('listing', run)}\n`)
    }
    for (const { question, p99 } of slow) {
      process.stderr.write(`${question}: p99 ${p99.toFixed(1)} ms, more than ${most}\n`)
    }
    if (slow.length > 0) process.exitCode = 1
  })
} finally {
  await database.stop()
  rmSync(directory, { recursive: true, force: true })
}

async function withStore<T>(settings: Settings['database'], work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(settings, { exclusive: true })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
