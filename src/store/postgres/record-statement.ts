import { tlsText } from '../../email/attempt-tls.ts'
import type { NewEvent } from '../../email/event.ts'
import { type Decision, type Facts, orCanceled } from '../../email/lifecycle.ts'
import { foldedIn } from '../cold/statement.ts'
import { mapText } from '../json-columns.ts'
import type { AttemptRecord } from '../store.ts'
import { allowListApplies } from '../suppression-rows.ts'
import { bool, bytea, int4, int8, type SqlColumns, text, unnestSql, uuid } from './columns.ts'
import type { Database, Statement, Value } from './database.ts'
import { isRepeated, REPEATS, repeatColumns } from './full-mailboxes.ts'
import { allowedIn, uuidAt } from './rows.ts'

/** A recipient whose result was written. */
interface WrittenResult {
  /** Index of its attempt among the given ones. */
  attempt: number
  position: number
  /** An address was added to a suppression list. */
  suppressed: boolean
}

/** One attempt, and its index among the given ones. */
interface RecordedAttempt {
  num: number
  attempt: AttemptRecord
  /** Unix ms. */
  end: number
}

/** The attempt's result for one recipient. */
interface RecordedResult extends RecordedAttempt {
  position: number
  decision: Decision
  change: Partial<Facts>
  /** Nearly every result has one event, which is written along with its recipient. */
  event: NewEvent | undefined
}

/** Another event of a result. */
interface FurtherEvent {
  /** The result's place among the results, from 1. */
  place: number
  result: RecordedResult
  event: NewEvent
}

const RESULT: SqlColumns<RecordedResult> = {
  attempt: int4(({ num }) => num),
  email: uuid(({ attempt }) => attempt.emailId),
  position: int4(({ position }) => position),
  token: int8(({ attempt }) => attempt.leaseToken),
  final: text(({ change: { state } }) => (state === 'waiting' ? null : state!)),
  tried: bool(({ decision }) => decision.tried),
  attempts: int4(({ change }) => change.attempts ?? null),
  uncertain: bool(({ change }) => change.uncertain === true),
  preferred_server: text(({ change }) => change.preferredServer ?? null),
  server: text(({ change }) => change.server ?? null),
  code: int4(({ change }) => change.lastCode ?? null),
  message: text(({ change }) => change.lastMessage ?? null),
  postponed_since: int8(({ change }) => change.postponedSince ?? null),
  at: int8(({ end }) => end),
  event: text(({ event }) => event?.type ?? null),
  event_at: int8(({ event }) => event?.at ?? null),
  detail: text(({ event }) => (event === undefined ? null : mapText(event.detail))),
}

/** The suppression that the result leads to, if any. */
const SUPPRESS: SqlColumns<RecordedResult> = {
  reason: text(({ decision }) => decision.suppress?.reason ?? null),
  suppress: text(({ decision }) => decision.suppress?.type ?? null),
  ...repeatColumns(({ decision }: RecordedResult) => decision.suppress),
}

/**
 * Columns that only a recipient that waits again needs; it is canceled instead if that has been requested meanwhile.
 */
const AGAIN: SqlColumns<RecordedResult> = {
  // A recipient without a time is due at the end of the attempt.
  due_at: int8(({ change, end }) => (change.state === 'waiting' ? (change.dueAt ?? end) : null)),
  suspicion: int4(({ change }) => change.suspicion ?? 0),
  held: text(({ change }) => change.heldFor ?? null),
  canceled_detail: text(({ change, decision, end }) => {
    return change.state === 'waiting' ? mapText(orCanceled(decision, end).events[0]!.detail) : null
  }),
}

const ATTEMPT: SqlColumns<RecordedAttempt> = {
  num: int4(({ num }) => num),
  email: uuid(({ attempt }) => attempt.emailId),
  started_at: int8(({ attempt }) => attempt.startedAt),
  duration: int8(({ attempt }) => attempt.duration),
  recipients: text(({ attempt }) => JSON.stringify(triedPositions(attempt))),
  source: text(({ attempt }) => attempt.source),
  server: text(({ attempt }) => attempt.server),
  tls: text(({ attempt }) => tlsText(attempt.tls)),
  dialogue: text(({ attempt }) => attempt.dialogue),
}

const CAUGHT: SqlColumns<RecordedAttempt> = {
  num: int4(({ num }) => num),
  email: uuid(({ attempt }) => attempt.emailId),
  captured: bytea(({ attempt }) => attempt.captured),
}

const BESIDE: SqlColumns<FurtherEvent> = {
  num: int8(({ place }) => place),
  email: uuid(({ result }) => result.attempt.emailId),
  recipient: int4(({ result }) => result.position),
  at: int8(({ event }) => event.at),
  type: text(({ event }) => event.type),
  detail: text(({ event }) => mapText(event.detail)),
}

/**
 * The needs of the results of a group. Columns that none of them needs are left out of the statement, and cost nothing.
 */
interface Needs {
  /** Some recipients wait again. */
  again: boolean
  /** Some attempts were for several recipients. */
  several: boolean
  /** There are captured octets, further events, or addresses to suppress. */
  more: boolean
}

interface ResultGroup {
  results: readonly RecordedResult[]
  attempts: readonly RecordedAttempt[]
  beside: readonly FurtherEvent[]
}

interface RecordStatement extends Statement {
  values(group: ResultGroup): Value[]
}

/**
 * Writes the results of a whole group in one statement.
 *
 * The outcome of each recipient has been decided before, in two versions if it waits again: the statement only chooses
 * between them, by whether a cancellation has been requested meanwhile. A recipient that was not tried keeps the
 * columns about answers, and its suspicion only rises. A recipient that ended leaves the queue, one that waits again
 * stays.
 *
 * The wording decides how the statement runs, even by a plan made when the tables were small. `= ANY (ARRAY[...])` can
 * use an index but cannot become a hash or merge join, which would read a whole table; `(... = ...) IS TRUE` uses no
 * index (one lease covers everything that a node has under way); `(... IN (SELECT ...)) IS TRUE` is answered by a hash
 * table where a join of two lists might compare each with each.
 */
function recordStatement(name: string, { again, several, more }: Needs): RecordStatement {
  const results = unnestSql<RecordedResult>(1, { ...RESULT, ...(again && AGAIN), ...(more && SUPPRESS) })
  const attempts = unnestSql<RecordedAttempt>(results.next, ATTEMPT)
  const caught = unnestSql<RecordedAttempt>(attempts.next, CAUGHT)
  const beside = unnestSql<FurtherEvent>(caught.next, BESIDE)
  const ours = 'q.email = ANY (ARRAY[g.email]) AND q.position = g.position AND (q.lease = g.token) IS TRUE'
  const positions = `(SELECT '[' || string_agg(m.position::text, ',' ORDER BY m.position) || ']' FROM moved m
                 WHERE m.attempt = a.num AND m.tried)`
  const moved = again
    ? `ended AS (
  DELETE FROM queue q USING given g WHERE ${ours} AND (g.final IS NOT NULL OR q.cancel)
  RETURNING g.*, q.company, coalesce(g.final, '${CANCELED.change!.state}') AS state, g.final IS NULL AS to_cancel
), again AS (
  UPDATE queue q SET lease = NULL, due_at = g.due_at, ready = g.due_at <= g.at,
    suspicion = CASE WHEN g.tried THEN g.suspicion ELSE greatest(q.suspicion, g.suspicion) END,
    held_for = g.held, held_domain = CASE WHEN g.held IS NOT NULL THEN (SELECT e.domain_id FROM emails e WHERE e.id = g.email) END
  FROM given g WHERE ${ours} AND g.final IS NULL AND NOT q.cancel
  RETURNING g.*, q.company, NULL::text AS state, false AS to_cancel
), moved AS MATERIALIZED (
  SELECT * FROM ended UNION ALL SELECT * FROM again
)`
    : `moved AS (
  DELETE FROM queue q USING given g WHERE ${ours}
  RETURNING g.*, q.company, g.final AS state, false AS to_cancel
)`
  const event = again
    ? `CASE WHEN to_cancel THEN at ELSE event_at END, CASE WHEN to_cancel THEN '${CANCELED.events[0]!.type}' ELSE event END,
     CASE WHEN to_cancel THEN canceled_detail ELSE detail END`
    : 'event_at, event, detail'
  const text = `
WITH given AS MATERIALIZED (
  SELECT * FROM ${results.unnest} WITH ORDINALITY AS t (${results.names}, num)
), ${moved}, known AS (
  UPDATE recipients r SET
    state = m.state,
    attempts = CASE WHEN m.tried THEN m.attempts ELSE r.attempts END,
    preferred_server = CASE WHEN m.tried THEN m.preferred_server ELSE r.preferred_server END,
    uncertain = CASE WHEN m.tried THEN m.uncertain ELSE r.uncertain END,
    server = CASE WHEN m.tried THEN m.server ELSE r.server END,
    last_code = CASE WHEN m.tried THEN m.code ELSE r.last_code END,
    postponed_since = CASE WHEN m.tried THEN m.postponed_since ELSE coalesce(m.postponed_since, r.postponed_since) END,
    last_message = coalesce(m.message, r.last_message)
  FROM moved m
  WHERE r.email = ANY (ARRAY[m.email]) AND r.position = m.position
  RETURNING m.attempt, m.position${more ? ', m.email, m.company, m.reason, m.suppress, m.refusals, m.within, m.code, m.at, r.address, r.domain' : ''}
), attempted AS (
  INSERT INTO attempts (email, started_at, duration, recipients, source, server, tls, dialogue)
  SELECT email, started_at, duration, ${
    several
      ? `CASE WHEN (num IN (SELECT attempt FROM given WHERE tried AND (num IN (SELECT num FROM moved)) IS NOT TRUE)) IS TRUE
      THEN ${positions} ELSE recipients END`
      : 'recipients'
  }, source, server, tls, dialogue
  FROM ${attempts.as('a')}
  WHERE (num IN (SELECT attempt FROM moved WHERE tried)) IS TRUE
), logged AS (
  INSERT INTO events (email, company, recipient, at, type, detail)
  (SELECT email, company, position, ${event} FROM moved WHERE to_cancel OR event IS NOT NULL ORDER BY num)${
    more
      ? `
  UNION ALL
  SELECT email, (SELECT m.company FROM emails m WHERE m.id = e.email), recipient, at, type, detail
  FROM ${beside.as('e')}
  WHERE (num IN (SELECT num FROM moved WHERE NOT to_cancel)) IS TRUE
), caught AS (
  INSERT INTO captured (email, recipients, raw)
  SELECT email, ${positions}, captured
  FROM ${caught.as('a')}
  WHERE (num IN (SELECT attempt FROM moved WHERE tried)) IS TRUE
), refusing AS MATERIALIZED (
  SELECT * FROM (
    SELECT k.*, ${foldedIn('k.address')} AS folded, (SELECT e.domain_id FROM emails e WHERE e.id = k.email) AS domain_id
    FROM known k WHERE k.suppress IS NOT NULL
  ) AS s
  WHERE NOT (${allowListApplies('suppress')} AND ${allowedIn('s')})
), ${REPEATS}, added AS (
  INSERT INTO suppressions (id, company, folded, type, address, reason, code, created_at, email_id, domain_id)
  SELECT DISTINCT ON (company, folded, suppress, domain_id) ${uuidAt('at')}, company, folded, suppress, address, reason,
    code, at, email::text, domain_id
  FROM refusing r WHERE ${isRepeated('r')}
  ORDER BY company, folded, suppress, domain_id, at
  ON CONFLICT DO NOTHING
  RETURNING company`
      : ''
  }
)
SELECT attempt, position, ${more ? 'EXISTS (SELECT 1 FROM added)' : 'false'} AS suppressed FROM known`
  return {
    name,
    text,
    values(group) {
      const usual = [...results.values(group.results), ...attempts.values(group.attempts)]
      if (!more) return usual
      const captured = group.attempts.filter(({ attempt }) => attempt.captured !== null)
      return [...usual, ...caught.values(captured), ...beside.values(group.beside)]
    },
  }
}

/**
 * State and event of a recipient whose cancellation was requested: they are the same for every result of an attempt.
 */
const CANCELED = orCanceled({ change: { state: 'waiting' }, events: [], suppress: null, tried: false }, 0)

/** Statements by name, each made at its first use. */
const STATEMENTS = new Map<string, RecordStatement>()

function statementFor({ results, attempts, beside }: ResultGroup): RecordStatement {
  const needs: Needs = {
    again: results.some(({ change }) => change.state === 'waiting'),
    several: attempts.some(({ attempt }) => attempt.recipients.length > 1),
    more:
      beside.length > 0 ||
      attempts.some(({ attempt }) => attempt.captured !== null) ||
      results.some(({ decision }) => decision.suppress !== null),
  }
  const name = ['record', ...Object.keys(needs).filter((need) => needs[need as keyof Needs])].join('-')
  const statement = STATEMENTS.get(name) ?? recordStatement(name, needs)
  STATEMENTS.set(name, statement)
  return statement
}

export async function writeResults(
  database: Database,
  records: readonly AttemptRecord[],
): Promise<WrittenResult[]> {
  const attempts = records.map((attempt, num): RecordedAttempt => {
    return { num, attempt, end: Math.round(attempt.startedAt + attempt.duration) }
  })
  const results = attempts.flatMap(({ num, attempt, end }) => {
    return attempt.recipients.map(({ position, decision }): RecordedResult => {
      return { num, attempt, end, position, decision, change: decision.change!, event: decision.events[0] }
    })
  })
  // Rows are locked in this order, so two concurrent statements can only wait for each other in one direction.
  results.sort((a, b) => compare(a.attempt.emailId, b.attempt.emailId) || a.position - b.position)
  const beside = results.flatMap((result, index) => {
    return result.decision.events.slice(1).map((event) => ({ place: index + 1, result, event }))
  })
  const group = { results, attempts, beside }
  const statement = statementFor(group)
  return await database.write<WrittenResult>(statement, statement.values(group))
}

function triedPositions({ recipients }: AttemptRecord): number[] {
  return recipients.filter(({ decision }) => decision.tried).map(({ position }) => position)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
