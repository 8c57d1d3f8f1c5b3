/** Writes history straight into the tables of the SQLite engine; no service may be running on the file. */
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import {
  CHUNK,
  DIALOGUE,
  FINISHED,
  FINISHED_CODE,
  type HistoryShape,
  type Owner,
  relatedTags,
  type Span,
  spansOf,
  WAITING,
  WATCHER,
} from './shape.ts'

/** Whether email `n` goes to the one address that gets many. */
const WATCHED = `(:related AND n % ${WATCHER.of} = 1)`

/** The numbers from :from to :to - 1, each with the fields that follow from it. The owners take turns. */
const NUMBERS = `
WITH RECURSIVE numbers (n) AS (SELECT :from UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :to),
made AS (
  SELECT n, owners.company, owners.domain_id, owners.key_id, owners.domain AS sending,
    CASE WHEN ${WATCHED} THEN '${WATCHER.domain}' ELSE 'd' || (n * 7919 % :domains) || '.history.test' END AS domain,
    CASE WHEN ${WATCHED} THEN '${WATCHER.local}' ELSE 'n' || n END AS local,
    CASE WHEN :related THEN ${relatedTags()} END AS tags,
    :start + CAST(n * :step AS INTEGER) AS at
  FROM numbers JOIN temp.owners ON owners.turn = n % :owners
)`

const EMAIL_ID = `lower(printf('%08x-%04x-7%03x-8000-%012x', at >> 16, at & 65535, n & 4095, n))`

const EMAILS = (scheduled: string) => `${NUMBERS}
INSERT INTO emails (
  num, id, company, domain_id, key_id, sender, header_from, header_to, subject, message_id, date, individual, test_mode,
  created_at, scheduled_at, size, sent, tags
)
SELECT :base + n, ${EMAIL_ID}, company, domain_id, key_id, 'orders@' || sending, 'Acme Orders <orders@' || sending || '>',
  '["' || local || '@' || domain || '"]', 'Your order ' || n || ' is on its way', '<' || n || '.history@' || sending || '>', at, 0, 0,
  at, ${scheduled}, 10240, 1, tags
FROM made`

const CONTENTS = `${NUMBERS}
INSERT INTO contents (email, created_at, text) SELECT :base + n, at, printf('%.*c', :octets, 'x') FROM made`

const FINISHED_RECIPIENTS = `${NUMBERS}
INSERT INTO recipients (email, position, company, address, domain, kind, state, attempts, server, last_code, last_message)
SELECT :base + n, 0, company, local || '@' || domain, domain, 'to', ${FINISHED}, 1, 'mx.' || domain,
  ${FINISHED_CODE}, '2.0.0 kept'
FROM made`

const WAITING_RECIPIENTS = `${NUMBERS}
INSERT INTO recipients (email, position, company, address, domain, kind, state, due_at, attempts, last_code, last_message)
SELECT :base + n, 0, company, local || '@' || domain, domain, 'to', 'waiting', :due + CAST(n * :dueStep AS INTEGER), n % 2,
  CASE WHEN n % 2 = 1 THEN 451 END, CASE WHEN n % 2 = 1 THEN '4.7.1 come back later' END
FROM made`

const EVENTS = (type: string, after: number, recipient: string) => `${NUMBERS}
INSERT INTO events (email, company, recipient, type, at, detail)
SELECT :base + n, company, ${recipient}, ${type}, at + ${after}, NULL FROM made`

const ATTEMPTS = `${NUMBERS}
INSERT INTO attempts (email, seq, recipients, started_at, duration, server, tls, dialogue)
SELECT :base + n, 0, '[0]', at + 20, 17, 'mx.' || domain, NULL, :dialogue FROM made`

const LANES = `
INSERT OR REPLACE INTO lanes (company, domain, due_at, waiting)
SELECT company, domain, min(due_at), count(*) FROM recipients WHERE state = 'waiting' GROUP BY company, domain`

const LAST_EVENT = `
UPDATE counters SET value = max(value, coalesce((SELECT max(number) FROM events), 0)) WHERE name = 'events'`

export async function fillSqlite(
  path: string,
  owners: Owner[],
  shape: HistoryShape,
  onProgress: (written: number, of: number) => void = () => {},
): Promise<void> {
  const db = new DatabaseSync(path)
  try {
    // After a crash of the machine, the history is made again.
    db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; PRAGMA temp_store = MEMORY')
    nameOwners(db, owners)
    const { finished, waiting, all } = spansOf(shape)
    const base = db.prepare('SELECT coalesce(max(num), 0) + 1 AS base FROM emails').get() as { base: number }
    const common = {
      domains: shape.domains,
      owners: owners.length,
      base: base.base,
      octets: shape.octets,
      related: shape.related ? 1 : 0,
      dialogue: DIALOGUE,
    }
    const finishedStatements = [
      EMAILS('NULL'),
      CONTENTS,
      FINISHED_RECIPIENTS,
      EVENTS(`'sent'`, 0, 'NULL'),
      EVENTS(FINISHED, 40, '0'),
      ATTEMPTS,
    ]
    await fill(db, finishedStatements, finished, common, (written) => onProgress(written, all))
    const waitingStatements = [
      EMAILS('CASE WHEN n % 2 = 0 THEN :due + CAST(n * :dueStep AS INTEGER) END'),
      CONTENTS,
      WAITING_RECIPIENTS,
      EVENTS(WAITING, 0, 'NULL'),
    ]
    await fill(db, waitingStatements, waiting, common, (written) => onProgress(written, all))
    db.exec(LANES)
    db.exec(LAST_EVENT)
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}

function nameOwners(db: DatabaseSync, owners: Owner[]): void {
  db.exec(
    'CREATE TEMP TABLE owners (turn INTEGER PRIMARY KEY, company INTEGER, domain_id TEXT, domain TEXT, key_id TEXT)',
  )
  const insert = db.prepare(
    `INSERT INTO temp.owners SELECT ?, companies.num, domains.id, domains.name, api_keys.id
     FROM companies JOIN domains ON domains.company = companies.num JOIN api_keys ON api_keys.company = companies.num
     WHERE companies.id = ? LIMIT 1`,
  )
  for (const [turn, { companyId }] of owners.entries()) {
    if (insert.run(turn, companyId).changes !== 1)
      throw new Error(`company ${companyId} has no domain or no key`)
  }
}

async function fill(
  db: DatabaseSync,
  statements: string[],
  { from, to, ...times }: Span,
  common: Record<string, number | string>,
  onProgress: (written: number) => void,
): Promise<void> {
  // node:sqlite binds a number as REAL, and text made of a REAL ends in ".0".
  const bound = Object.fromEntries(
    Object.entries({ ...common, ...times }).map(([name, value]) => [
      name,
      typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value,
    ]),
  )
  for (let first = from; first < to; first += CHUNK) {
    const last = Math.min(to, first + CHUNK)
    db.exec('BEGIN')
    for (const sql of statements) {
      const statement = db.prepare(sql)
      statement.setAllowUnknownNamedParameters(true)
      statement.run({ ...bound, from: BigInt(first), to: BigInt(last) })
    }
    db.exec('COMMIT')
    onProgress(last)
    // Lets the process handle signals.
    await setImmediate()
  }
}
