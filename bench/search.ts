/** Compares the digest with the full-text indexes of both databases: cost of writing, size, and pages of emails. See `--help`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { count, parseOptions } from '../harness/options.ts'
import { Random } from '../harness/random.ts'
import { provenance } from '../harness/results.ts'
import type { EmailFilter } from '../src/email/stored-email.ts'
import { findEmails } from '../src/events/find-emails.ts'
import { openStore } from '../src/store/open.ts'
import { fillPostgres } from './history/fill-postgres.ts'
import { fillSqlite } from './history/fill-sqlite.ts'
import { TAGS, WATCHER, WEEKS_OF_HISTORY } from './history/shape.ts'
import { addCompany, digestAll, type ListedCompany } from './listing/company.ts'
import { PLACE_HELP, PLACE_OPTIONS, placeOf, USUAL_HELP, USUAL_OPTIONS } from './options.ts'
import { companyOf, hasBounced, type IndexedEmail, indexed, term } from './search/documents.ts'
import { openFts5 } from './search/fts5.ts'
import { openGin } from './search/gin.ts'
import { type SearchIndex, STEP, type Wanted } from './search/index.ts'
import { openDatabase } from './service/database.ts'
import { percentile } from './statistics.ts'

const HELP = `Usage: node bench/search.ts [options]

Fills a database with the emails of companies, makes the digest of their events, and the same terms into an FTS5 table (SQLite) or a
GIN index (PostgreSQL), in commits of ${STEP} emails. Then asks all of them for the same pages of 50 emails, each index followed by the same
reading of the emails that it found. Prints what an event cost to write, the size, and ms for each question.

  --emails N         finished emails (200000)
  --companies N      that the emails belong to by turns; each question is of one of them (1)
  --rounds N         times each question is asked (200)
${PLACE_HELP}${USUAL_HELP}`

const values = parseOptions(HELP, {
  emails: { type: 'string', default: '200000' },
  companies: { type: 'string', default: '1' },
  rounds: { type: 'string', default: '200' },
  ...PLACE_OPTIONS,
  ...USUAL_OPTIONS,
})
const emails = count('emails', values.emails)
const companies = count('companies', values.companies)
const rounds = count('rounds', values.rounds)
const place = placeOf(values)
const PAGE = 50
/** Events of each finished email: it was sent, and it was delivered or bounced. */
const EVENTS = 2
/** Events of one step of the digest. */
const LOG_STEP = 4_096
/** The tables of the digest. */
const TABLES = ['search_lists', 'search_spans', 'event_counts']
const ONE = { newestFirst: true, limit: 1, octets: Number.MAX_SAFE_INTEGER }

await using stack = new AsyncDisposableStack()
const directory = mkdtempSync(join(place.parent, 'postroad-search-'))
stack.defer(() => rmSync(directory, { recursive: true, force: true }))
const database = await openDatabase(place.database, place.cpus)
stack.defer(() => database.stop())
const url = await database.fresh()
const path = join(directory, 'postroad.db')
const location = url === null ? ({ engine: 'sqlite', path } as const) : ({ engine: 'postgres', url } as const)

/** CPU-ms of this process, with the threads of SQLite, and of PostgreSQL. */
function cpu(): number {
  const { user, system } = process.cpuUsage()
  const server = database.cpu()
  return (user + system) / 1_000 + (Number.isNaN(server) ? 0 : server)
}

interface Writing {
  name: string
  /** Events a second, CPU-ms of one, octets of all. */
  pace: number
  cpu: number
  size: number
}

async function writing(
  name: string,
  write: () => Promise<unknown>,
  size: () => Promise<number>,
): Promise<Writing> {
  const began = performance.now()
  const before = cpu()
  await write()
  const events = emails * EVENTS
  const pace = (events * 1_000) / (performance.now() - began)
  return { name, pace, cpu: (cpu() - before) / events, size: await size() }
}

const store = await openStore(location, { exclusive: true })
stack.defer(() => store.close())
const owners: ListedCompany[] = []
for (let at = 0; at < companies; at++) owners.push(await addCompany(store, `company${at}`))
const shape = { ...WEEKS_OF_HISTORY, emails, waiting: 0, related: true }
if (url === null) await fillSqlite(path, owners, shape)
else await fillPostgres(url, owners, shape)
console.log(`${provenance().machine}; ${database.name}; ${emails} emails of ${companies} companies`)
report(await writing('digest, not written', readLog, async () => 0))
report(await writing('digest', () => digestAll(store), sizeOfDigest))
for (const [part, octets] of Object.entries(await partsOfDigest())) {
  console.log(`  ${part.padEnd(42)} ${megabytes(octets)} MB`)
}

const { companyId: companyOfNewest } = owners[companyOf(emails - 1, companies)]!
const [newest] = (await findEmails(store, { companyId: companyOfNewest }, { limit: 1 })).emails
const last = await store.emailPlace(newest!.id)
const first = last - emails + 1
const indexes: SearchIndex[] =
  url === null ? [openFts5(directory, 'none'), openFts5(directory, 'full')] : [await openGin(url)]
for (const index of indexes) {
  stack.defer(() => index.close())
  report(
    await writing(
      index.name,
      () => fill(index),
      () => index.size(),
    ),
  )
}

async function fill(index: SearchIndex): Promise<void> {
  let earlier: IndexedEmail[] = []
  for (let from = 0; from < emails; from += STEP) {
    const numbers = Array.from({ length: Math.min(STEP, emails - from) }, (_, at) => from + at)
    const added = numbers.map((number) => indexed(first, number, companies))
    await index.add(added, earlier)
    earlier = added.filter(({ place: at }) => hasBounced(at - first))
  }
  await index.add([], earlier)
  await index.finish()
}

/** The work that every index shares behind the follower: reads the log, and the emails of its events. */
async function readLog(): Promise<void> {
  for (let cursor = 0, more = true; more; ) {
    const next = await store.digestAfter(cursor, LOG_STEP)
    more = next.cursor > cursor
    cursor = next.cursor
  }
}

/** Octets of the digest's rows without the pages around them. */
async function partsOfDigest(): Promise<Record<string, number>> {
  const sql = `SELECT kind < 2 AS emails, sum(length(places) + 24) AS octets FROM search_lists GROUP BY 1`
  const found = (await all(sql)) as { emails: unknown; octets: unknown }[]
  const of = (emails: boolean) => Number(found.find((row) => Boolean(row.emails) === emails)?.octets ?? 0)
  const [counts] = (await all('SELECT count(*) AS n FROM event_counts')) as { n: unknown }[]
  return {
    'rows of lists of emails': of(true),
    'rows of lists of events': of(false),
    'rows of counts, 100 octets each': Number(counts!.n) * 100,
  }
}

/** The whole digest: the lists of emails and of events, spans and counts. */
async function sizeOfDigest(): Promise<number> {
  const size = (name: string) =>
    url === null
      ? `(SELECT sum(pgsize) FROM dbstat WHERE name = '${name}')`
      : `pg_total_relation_size('${name}')`
  const [row] = (await all(`SELECT ${TABLES.map(size).join(' + ')} AS octets`)) as { octets: unknown }[]
  return Number(row!.octets)
}

async function all(sql: string): Promise<object[]> {
  if (url === null) {
    const db = new DatabaseSync(path, { readOnly: true })
    const rows = db.prepare(sql).all()
    db.close()
    return rows
  }
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<object>(sql)
  await client.end()
  return rows
}

function megabytes(octets: number): string {
  return (octets / 1e6).toFixed(1).padStart(7)
}

function report({ name, pace, cpu: each, size }: Writing): void {
  const microseconds = (each * 1_000).toFixed(0)
  console.log(
    `${name.padEnd(20)} ${pace.toFixed(0).padStart(7)} events/s ${microseconds.padStart(5)} CPU-µs an event ${megabytes(size)} MB`,
  )
}

interface Question {
  name: string
  /** Null: the digest has no list for it. */
  filter: Omit<EmailFilter, 'companyId'> | null
  wanted: Pick<Wanted, 'terms' | 'prefix'>
  /** Only emails older than any; otherwise all. */
  older?: boolean
}

/** The questions about one email of the history. */
function questionsOf(number: number): Question[] {
  const { terms } = indexed(first, number, companies)
  const { domainId } = owners[companyOf(number, companies)]!
  const domain = term.domain(companyOf(number, companies))
  const address = terms.find((each) => each.startsWith('a:'))!
  const campaign = terms.find((each) => each.startsWith('g:'))!
  const watcher = `${WATCHER.local}@${WATCHER.domain}`
  const words = (...all: string[]) => all.map(term.word)
  const tag = { name: TAGS.campaign, value: campaign.slice(2) }
  const some = String(number)
  return [
    { name: 'a word that one has', filter: { words: [some] }, wanted: { terms: words(some) } },
    { name: 'a word that none has', filter: { words: ['nothing'] }, wanted: { terms: words('nothing') } },
    {
      name: 'a word that all have',
      filter: { words: ['order'] },
      wanted: { terms: words('order') },
      older: true,
    },
    {
      name: 'three words, two that all have',
      filter: { words: ['your', 'order', some] },
      wanted: { terms: words('your', 'order', some) },
    },
    {
      name: 'a word that all have, of an address with many',
      filter: { words: ['order'], to: watcher },
      wanted: { terms: [...words('order'), term.address(watcher)] },
      older: true,
    },
    {
      name: 'a word that all have, with a tag of a thousand',
      filter: { words: ['order'], tag },
      wanted: { terms: [...words('order'), campaign] },
    },
    {
      name: 'bounced, of a domain',
      filter: { events: ['bounced'], domainId },
      wanted: { terms: [term.bounced, domain] },
      older: true,
    },
    {
      name: 'bounced, word and tag that all have',
      filter: { events: ['bounced'], words: ['order'], tag: { name: 'tag', value: TAGS.all } },
      wanted: { terms: [term.bounced, ...words('order'), term.tag] },
      older: true,
    },
    { name: 'to an address', filter: { to: address.slice(2) }, wanted: { terms: [address] } },
    {
      name: 'a tag that all have',
      filter: { tag: { name: 'tag', value: TAGS.all } },
      wanted: { terms: [term.tag] },
      older: true,
    },
    {
      name: 'words that begin with four digits',
      filter: null,
      wanted: { terms: [], prefix: term.word(some.padStart(4, '1').slice(0, 4)) },
    },
  ]
}

async function ofDigest(
  companyId: string,
  filter: Question['filter'],
  olderThan: string | undefined,
): Promise<number> {
  const range = { limit: PAGE, ...(olderThan === undefined ? {} : { olderThan }) }
  return (await findEmails(store, { companyId, ...filter }, range)).emails.length
}

/** Like the digest, an index searches only the emails of the company of email `number`. */
async function ofIndex(
  index: SearchIndex,
  number: number,
  { terms, prefix }: Question['wanted'],
  to: number,
): Promise<number> {
  const turn = companyOf(number, companies)
  const { companyId } = owners[turn]!
  const own = term.domain(turn)
  const asked = companies === 1 || terms.includes(own) ? terms : [own, ...terms]
  const places = await index.find({ terms: asked, prefix, from: first, to, limit: PAGE })
  const portion = { newestFirst: true, limit: PAGE, octets: Number.MAX_SAFE_INTEGER }
  return places.length === 0 ? 0 : (await store.emailsAt({ companyId }, places, portion)).emails.length
}

const EVERYTHING = Number.MAX_SAFE_INTEGER
const names = questionsOf(1).map(({ name }) => name)
console.log(
  `\n${'p50 / p99 ms (found)'.padEnd(48)} ${['digest', ...indexes.map(({ name }) => name)].map((name) => name.padStart(24)).join('')}`,
)
for (const [at, name] of names.entries()) {
  const cells: string[] = []
  for (const index of [null, ...indexes]) {
    const ms = new Float64Array(rounds)
    let found = 0
    // The first pass reads from the disk.
    for (let pass = 0; pass < 2; pass++) {
      const random = new Random(1)
      found = 0
      for (let round = 0; round < rounds; round++) {
        const number = random.int(1, emails - 1)
        const { filter, wanted, older = false } = questionsOf(number)[at]!
        if (index === null && filter === null) continue
        const { companyId } = owners[companyOf(number, companies)]!
        const [id] = older ? (await store.emailsAt({ companyId }, [first + number], ONE)).emails : []
        const began = performance.now()
        found +=
          index === null
            ? await ofDigest(companyId, filter, id?.email.id)
            : await ofIndex(index, number, wanted, older ? first + number : EVERYTHING)
        ms[round] = performance.now() - began
      }
    }
    const figure = `${percentile(ms, 50).toFixed(2)} / ${percentile(ms, 99).toFixed(2)} (${(found / rounds).toFixed(1)})`
    cells.push((ms[0] === 0 ? '-' : figure).padStart(24))
  }
  console.log(`${name.padEnd(48)} ${cells.join('')}`)
}
