/** Writes history straight into the tables of the PostgreSQL engine. */
import { Client } from 'pg'
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
const WATCHED = `(given.related AND n % ${WATCHER.of} = 1)`

/** `given` names the parameters of every statement, so that all statements have the same ones. */
const MADE = `
WITH given AS (
  SELECT $1::bigint AS first, $2::bigint AS last, $3::bigint AS start, $4::float8 AS step, $5::bigint AS due, $6::float8 AS due_step,
    $7::bigint AS domains, $8::bigint AS owners, $9::int AS octets, $10::text AS dialogue,
    $11::boolean AS related
),
made AS (
  SELECT n, owner.company, owner.domain_id, owner.key_id, owner.domain AS sending, given.octets, given.dialogue,
    CASE WHEN ${WATCHED} THEN '${WATCHER.domain}' ELSE 'd' || (n * 7919 % given.domains) || '.history.test' END AS domain,
    CASE WHEN ${WATCHED} THEN '${WATCHER.local}' ELSE 'n' || n END AS local,
    CASE WHEN given.related THEN ${relatedTags()} END AS tags,
    given.start + (n * given.step)::bigint AS at,
    given.due + (n * given.due_step)::bigint AS due,
    (lpad(to_hex(given.start + (n * given.step)::bigint), 12, '0') || '7' || lpad(to_hex(n & 4095), 3, '0') || '8000'
      || lpad(to_hex(n), 12, '0'))::uuid AS email
  FROM given, generate_series(given.first, given.last - 1) AS n
  JOIN history_owners AS owner ON owner.turn = n % (SELECT owners FROM given)
)`

const EMAILS = (scheduled: string) => `${MADE}
INSERT INTO emails (
  id, company, created_at, scheduled_at, date, size, individual, test_mode, sent, domain_id, key_id, sender, header_from,
  header_to, subject, message_id, text, tags
)
SELECT email, company, at, ${scheduled}, at, 10240, false, false, true, domain_id, key_id, 'orders@' || sending,
  'Acme Orders <orders@' || sending || '>', '["' || local || '@' || domain || '"]', 'Your order ' || n || ' is on its way',
  '<' || n || '.history@' || sending || '>', convert_to(repeat('x', octets), 'UTF8'),
  tags
FROM made`

const FINISHED_RECIPIENTS = `${MADE}
INSERT INTO recipients (email, position, attempts, last_code, kind, state, address, domain, server, last_message)
SELECT email, 0, 1, ${FINISHED_CODE}, 'to', ${FINISHED}, local || '@' || domain, domain,
  'mx.' || domain, '2.0.0 kept'
FROM made`

const WAITING_RECIPIENTS = `${MADE}
INSERT INTO recipients (email, position, attempts, last_code, kind, address, domain, last_message)
SELECT email, 0, n % 2, CASE WHEN n % 2 = 1 THEN 451 END, 'to', local || '@' || domain, domain,
  CASE WHEN n % 2 = 1 THEN '4.7.1 come back later' END
FROM made`

const QUEUE = `${MADE}
INSERT INTO queue (email, position, company, size, due_at, ready, domain)
SELECT email, 0, company, 10240, due, false, domain FROM made`

const EVENTS = (type: string, after: number, recipient: string) => `${MADE}
INSERT INTO events (email, company, recipient, at, type) SELECT email, company, ${recipient}, at + ${after}, ${type} FROM made`

const ATTEMPTS = `${MADE}
INSERT INTO attempts (email, started_at, duration, recipients, server, dialogue)
SELECT email, at + 20, 17, '[0]', 'mx.' || domain, dialogue FROM made`

export async function fillPostgres(
  url: string,
  owners: Owner[],
  shape: HistoryShape,
  onProgress: (written: number, of: number) => void = () => {},
): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    // After a crash of the machine, the history is made again.
    await client.query('SET synchronous_commit = off')
    await nameOwners(client, owners)
    const { finished, waiting, all } = spansOf(shape)
    const common = [shape.domains, owners.length, shape.octets, DIALOGUE, shape.related]
    const fill = async (statements: string[], given: Span) => {
      for (let first = given.from; first < given.to; first += CHUNK) {
        const last = Math.min(given.to, first + CHUNK)
        const { start, step, due, dueStep } = given
        await client.query('BEGIN')
        // A statement has all parameters, even those that it does not use: `given` names all of them.
        for (const sql of statements)
          await client.query(sql, [first, last, start, step, due, dueStep, ...common])
        await client.query('COMMIT')
        onProgress(last, all)
      }
    }
    const ended = [
      EMAILS('NULL'),
      FINISHED_RECIPIENTS,
      EVENTS(`'sent'`, 0, 'NULL'),
      EVENTS(FINISHED, 40, '0'),
      ATTEMPTS,
    ]
    await fill(ended, finished)
    const begun = [
      EMAILS('CASE WHEN n % 2 = 0 THEN due END'),
      WAITING_RECIPIENTS,
      QUEUE,
      EVENTS(WAITING, 0, 'NULL'),
    ]
    await fill(begun, waiting)
    // As autovacuum would have left it.
    await client.query('VACUUM (ANALYZE)')
  } finally {
    await client.end()
  }
}

async function nameOwners(client: Client, owners: Owner[]): Promise<void> {
  await client.query(
    'CREATE TEMP TABLE history_owners (turn bigint PRIMARY KEY, company integer, domain_id text, domain text, key_id text)',
  )
  for (const [turn, { companyId }] of owners.entries()) {
    const { rowCount } = await client.query(
      `INSERT INTO history_owners SELECT $1, companies.num, domains.id, domains.name, api_keys.id
       FROM companies JOIN domains ON domains.company = companies.num JOIN api_keys ON api_keys.company = companies.num
       WHERE companies.id = $2 LIMIT 1`,
      [turn, companyId],
    )
    if (rowCount !== 1) throw new Error(`company ${companyId} has no domain or no key`)
  }
  await client.query('ANALYZE history_owners')
}
