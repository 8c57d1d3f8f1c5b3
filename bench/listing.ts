/** Measures the time for pages of emails, events and suppressions in a company with a long history. See `--help`. */
import { count, parseOptions } from '../harness/options.ts'
import { Random } from '../harness/random.ts'
import { provenance } from '../harness/results.ts'
import { WEEKS_OF_HISTORY } from './history/shape.ts'
import { openFilled } from './listing/filled.ts'
import { OF_BATCH, OF_SINGLE, type Question, questions } from './listing/questions.ts'
import { LISTING_HEAD, type ListingRow, type ListingRun, listingLine } from './listing/report.ts'
import { PLACE_HELP, PLACE_OPTIONS, placeOf, USUAL_HELP, USUAL_OPTIONS } from './options.ts'
import { keepResult } from './results.ts'
import { percentile } from './statistics.ts'

const HELP = `Usage: node bench/listing.ts [options]

Fills a database with the emails of one company, lets what searches need be made of their events, and asks for pages of emails, of
events and of suppressions, one after the other, as the dialects do (without HTTP). Each is asked about others again and again,
and then all of that once more: prints ms for both. Exits with 1 when the p99 of one that an index serves is above --most the second
time. Two million emails take about 8 GB of disk.

  --history N        finished emails, all of one company (${WEEKS_OF_HISTORY.emails})
  --suppressions N   suppressed addresses (100000)
  --rounds N         times each question is asked, about another email, time, ... (300)
  --most MS          what the p99 may be (20)
  --only TEXT        only the questions whose names have this in them
  --use PLACE        a directory, or the postgres:// URL of a database, instead of --database: filled when nothing is there, and kept,
                     so that it can be asked again at once
${PLACE_HELP}${USUAL_HELP}`

const values = parseOptions(HELP, {
  history: { type: 'string', default: String(WEEKS_OF_HISTORY.emails) },
  suppressions: { type: 'string', default: '100000' },
  rounds: { type: 'string', default: '300' },
  most: { type: 'string', default: '20' },
  only: { type: 'string', default: '' },
  use: { type: 'string' },
  ...PLACE_OPTIONS,
  ...USUAL_OPTIONS,
})
const shape = { ...WEEKS_OF_HISTORY, emails: count('history', values.history), waiting: 0, related: true }
const rounds = count('rounds', values.rounds)
const most = count('most', values.most)
const suppressions = count('suppressions', values.suppressions)
const place = placeOf(values)

const filled = await openFilled({ place, use: values.use, shape, suppressions })
try {
  const { store, name, company, digest } = filled
  const { events, seconds } = digest
  const pace = seconds === null ? '' : `; made ready for searches at ${Math.round(events / seconds)} events/s`
  process.stdout.write(`${name}: ${events} events${pace}\n`)
  const chance = { random: new Random(1) }
  const all = await questions(store, company, chance)
  const rows: ListingRow[] = []
  process.stdout.write(`${LISTING_HEAD}\n`)
  for (const question of all.filter((one) => one.name.includes(values.only))) {
    const first = await asked(question)
    const { found, ...again } = await asked(question)
    const row = { question: question.name, served: question.served, ...again, first, found }
    rows.push(row)
    process.stdout.write(`${listingLine(row)}\n`)
  }
  const medianOf = (name: string) => rows.find(({ question }) => question === name)?.median
  const [batch, single] = [medianOf(OF_BATCH), medianOf(OF_SINGLE)]
  if (batch !== undefined && single !== undefined) {
    process.stdout.write(`a page of a batch takes ${(batch / single).toFixed(2)} times one of single mail\n`)
  }

  /** Measures a question, with the same random choices each time. */
  async function asked({ ask }: Question) {
    chance.random = new Random(1)
    const ms = new Float64Array(rounds)
    let found = 0
    for (let round = 0; round < rounds; round++) {
      const began = performance.now()
      found += await ask()
      ms[round] = performance.now() - began
    }
    return { median: percentile(ms, 50), p99: percentile(ms, 99), found: found / rounds }
  }
  if (!values['no-keep']) {
    const run: ListingRun = { ...provenance(), database: name, shape, suppressions, rounds, digest, rows }
    process.stdout.write(`kept in ${keepResult('listing', run)}\n`)
  }
  const slow = rows.filter(({ served, p99 }) => served && p99 > most)
  for (const { question, p99 } of slow) {
    process.stderr.write(`${question}: p99 ${p99.toFixed(1)} ms, more than ${most}\n`)
  }
  if (slow.length > 0) process.exitCode = 1
} finally {
  await filled.close()
}
