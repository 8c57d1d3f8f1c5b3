import { type Decision, type Facts, orCanceled } from '../../email/lifecycle.ts'
import { mapText } from '../json-columns.ts'
import type { AttemptRecord, RecipientRecord } from '../store.ts'
import { bools, byteas, int4s, int8s, texts, uuids } from './arrays.ts'
import type { Database, Statement } from './database.ts'

/** A recipient whose result was written. */
export interface Moved {
  /** Index of its attempt among those given. */
  attempt: number
  position: number
  /** Something was added to a suppression list. */
  suppressed: boolean
}

/**
 * The results of a whole group in one statement. ($1-$25: recipients, by column, with the first event of each. $26-$31:
 * their other events. $32-$40: attempts. $41: the capital letters that addresses are compared without.)
 *
 * What becomes of each has been decided, twice: $23-$25 are for what is to be canceled by now and would wait for
 * another attempt, and which of the two is true is all that is decided here. What was not tried leaves alone what
 * answers tell, and its suspicion only rises. What ended leaves the queue, what waits again stays.
 *
 * How it is written decides how it runs, also by a plan made when the tables were small. `= ANY (ARRAY[...])` can be
 * looked up in an index but not be made a hash or merge join, which would read a whole table; `(... = ...) IS TRUE` is
 * looked up in no index (all that a node has under way is under one lease); `(... IN (SELECT ...)) IS TRUE` is answered
 * by a hash table where a join of two lists might compare each with each.
 */
const RECORD: Statement = {
  name: 'record',
  text: `
WITH given AS MATERIALIZED (
  SELECT * FROM unnest(
    $1::int4[], $2::uuid[], $3::int4[], $4::int8[], $5::text[], $6::int8[], $7::bool[], $8::bool[], $9::int4[], $10::bool[],
    $11::text[], $12::text[], $13::int4[], $14::text[], $15::int8[], $16::int4[], $17::text[], $18::text[], $19::int8[],
    $20::text[], $21::int8[], $22::text[], $23::text[], $24::text[], $25::text[]
  ) WITH ORDINALITY AS t (attempt, email, position, token, final, due_at, ready, tried, attempts, uncertain,
    preferred_server, server, code, message, postponed_since, suspicion, held, reason, at,
    event, event_at, detail, canceled, canceled_event, canceled_detail, num)
), ended AS (
  DELETE FROM queue q USING given g
  WHERE q.email = ANY (ARRAY[g.email]) AND q.position = g.position AND (q.lease = g.token) IS TRUE
    AND (g.final IS NOT NULL OR q.cancel)
  RETURNING g.*, q.company, coalesce(g.final, g.canceled) AS state, g.final IS NULL AS to_cancel
), again AS (
  UPDATE queue q SET lease = NULL, due_at = g.due_at, ready = g.ready,
    suspicion = CASE WHEN g.tried THEN g.suspicion ELSE greatest(q.suspicion, g.suspicion) END,
    held_for = g.held, held_domain = CASE WHEN g.held IS NOT NULL THEN (SELECT e.domain_id FROM emails e WHERE e.id = g.email) END
  FROM given g
  WHERE g.final IS NULL AND q.email = ANY (ARRAY[g.email]) AND q.position = g.position
    AND (q.lease = g.token) IS TRUE AND NOT q.cancel
  RETURNING g.*, q.company, NULL::text AS state, false AS to_cancel
), moved AS MATERIALIZED (
  SELECT * FROM ended UNION ALL SELECT * FROM again
), known AS (
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
  RETURNING m.attempt, m.position, m.email, m.company, m.reason, m.at, r.address
), attempted AS (
  INSERT INTO attempts (email, started_at, duration, recipients, server, tls, dialogue)
  SELECT email, started_at, duration,
    CASE WHEN (num IN (SELECT attempt FROM given WHERE tried AND (num IN (SELECT num FROM moved)) IS NOT TRUE)) IS TRUE
      THEN (SELECT '[' || string_agg(m.position::text, ',' ORDER BY m.position) || ']' FROM moved m
            WHERE m.attempt = a.num AND m.tried)
      ELSE recipients END,
    server, tls, dialogue
  FROM unnest($32::int4[], $33::uuid[], $34::int8[], $35::int8[], $36::text[], $37::text[], $38::text[], $39::text[])
    AS a (num, email, started_at, duration, recipients, server, tls, dialogue)
  WHERE (num IN (SELECT attempt FROM moved WHERE tried)) IS TRUE
), caught AS (
  INSERT INTO captured (email, recipients, raw)
  SELECT email, (SELECT '[' || string_agg(m.position::text, ',' ORDER BY m.position) || ']' FROM moved m
                 WHERE m.attempt = a.num AND m.tried), captured
  FROM unnest($32::int4[], $33::uuid[], $40::bytea[]) AS a (num, email, captured)
  WHERE captured IS NOT NULL AND (num IN (SELECT attempt FROM moved WHERE tried)) IS TRUE
), logged AS (
  INSERT INTO events (email, company, recipient, at, type, detail)
  (SELECT email, company, position, CASE WHEN to_cancel THEN at ELSE event_at END,
     CASE WHEN to_cancel THEN canceled_event ELSE event END, CASE WHEN to_cancel THEN canceled_detail ELSE detail END
   FROM moved WHERE to_cancel OR event IS NOT NULL ORDER BY num)
  UNION ALL
  SELECT email, (SELECT m.company FROM emails m WHERE m.id = e.email), recipient, at, type, detail
  FROM unnest($26::int8[], $27::uuid[], $28::int4[], $29::int8[], $30::text[], $31::text[])
    AS e (num, email, recipient, at, type, detail)
  WHERE (num IN (SELECT num FROM moved WHERE NOT to_cancel)) IS TRUE
), added AS (
  INSERT INTO suppressions (company, folded, address, reason, created_at, email_id)
  SELECT DISTINCT ON (company, folded) company, folded, address, reason, at, email::text
  FROM (SELECT *, translate(address, $41, lower($41)) AS folded FROM known WHERE reason IS NOT NULL) AS refusing
  ORDER BY company, folded, at
  ON CONFLICT DO NOTHING
  RETURNING company
)
SELECT attempt, position, EXISTS (SELECT 1 FROM added) AS suppressed FROM known`,
}

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** One result with the attempt that brought it. */
interface Result {
  /** Index of the attempt. */
  num: number
  attempt: AttemptRecord
  position: number
  decision: Decision
  change: Partial<Facts>
  /** What becomes of it if it is to be canceled by now; null when it ends anyway. */
  canceled: Decision | null
}

export async function writeResults(database: Database, attempts: readonly AttemptRecord[]): Promise<Moved[]> {
  const results = attempts.flatMap((attempt, num) => {
    return attempt.recipients.map((recipient) => resultOf(num, attempt, recipient))
  })
  // Rows are locked in this order: two statements that meet wait for one another one way only.
  results.sort((a, b) => compare(a.attempt.emailId, b.attempt.emailId) || a.position - b.position)
  return await database.write<Moved>(RECORD, [
    ...resultColumns(results),
    ...firstEventColumns(results),
    ...canceledColumns(results),
    ...otherEventColumns(results),
    ...attemptColumns(attempts),
    CAPITALS,
  ])
}

function resultOf(num: number, attempt: AttemptRecord, recipient: RecipientRecord): Result {
  const { position } = recipient
  const decision = recipient.decision
  const change = decision.change!
  const canceled = change.state === 'waiting' ? orCanceled(decision, endOf(attempt)) : null
  return { num, attempt, position, decision, change, canceled }
}

function resultColumns(results: readonly Result[]): Buffer[] {
  const changes = results.map(({ change }) => change)
  const ends = results.map(({ attempt }) => endOf(attempt))
  const dues = results.map(({ change }, index) => dueAtOf(change, ends[index]!))
  return [
    int4s(results.map(({ num }) => num)),
    uuids(results.map(({ attempt }) => attempt.emailId)),
    int4s(results.map(({ position }) => position)),
    int8s(results.map(({ attempt }) => attempt.leaseToken)),
    texts(changes.map(({ state }) => (state === 'waiting' ? null : state!))),
    int8s(dues),
    bools(dues.map((dueAt, index) => dueAt !== null && dueAt <= ends[index]!)),
    bools(results.map(({ decision }) => decision.tried)),
    int4s(changes.map(({ attempts }) => attempts ?? null)),
    bools(changes.map(({ uncertain }) => uncertain === true)),
    texts(changes.map(({ preferredServer }) => preferredServer ?? null)),
    texts(changes.map(({ server }) => server ?? null)),
    int4s(changes.map(({ lastCode }) => lastCode ?? null)),
    texts(changes.map(({ lastMessage }) => lastMessage ?? null)),
    int8s(changes.map(({ postponedSince }) => postponedSince ?? null)),
    int4s(changes.map(({ suspicion }) => suspicion ?? 0)),
    texts(changes.map(({ heldFor }) => heldFor ?? null)),
    texts(results.map(({ decision }) => decision.suppress?.reason ?? null)),
    int8s(ends),
  ]
}

/** Nearly every result has one event: it goes with its recipient. */
function firstEventColumns(results: readonly Result[]): Buffer[] {
  const events = results.map(({ decision }) => decision.events[0])
  return [
    texts(events.map((event) => event?.type ?? null)),
    int8s(events.map((event) => (event === undefined ? null : Math.round(event.at)))),
    texts(events.map((event) => (event === undefined ? null : mapText(event.detail)))),
  ]
}

function canceledColumns(results: readonly Result[]): Buffer[] {
  const events = results.map(({ canceled }) => canceled?.events[0])
  return [
    texts(results.map(({ canceled }) => canceled?.change?.state ?? null)),
    texts(events.map((event) => event?.type ?? null)),
    texts(events.map((event) => (event === undefined ? null : mapText(event.detail)))),
  ]
}

function otherEventColumns(results: readonly Result[]): Buffer[] {
  const events = results.flatMap(({ attempt, position, decision }, index) => {
    return decision.events.slice(1).map((event) => ({ ...event, num: index + 1, attempt, position }))
  })
  return [
    int8s(events.map(({ num }) => num)),
    uuids(events.map(({ attempt }) => attempt.emailId)),
    int4s(events.map(({ position }) => position)),
    int8s(events.map(({ at }) => Math.round(at))),
    texts(events.map(({ type }) => type)),
    texts(events.map(({ detail }) => mapText(detail))),
  ]
}

function attemptColumns(attempts: readonly AttemptRecord[]): Buffer[] {
  return [
    int4s([...attempts.keys()]),
    uuids(attempts.map(({ emailId }) => emailId)),
    int8s(attempts.map(({ startedAt }) => Math.round(startedAt))),
    int8s(attempts.map(({ duration }) => Math.round(duration))),
    texts(attempts.map(({ recipients }) => JSON.stringify(triedPositions(recipients)))),
    texts(attempts.map(({ server }) => server)),
    texts(attempts.map(({ tls }) => tls)),
    texts(attempts.map(({ dialogue }) => dialogue)),
    byteas(attempts.map(({ captured }) => captured)),
  ]
}

function triedPositions(recipients: readonly RecipientRecord[]): number[] {
  return recipients.filter(({ decision }) => decision.tried).map(({ position }) => position)
}

/** A recipient that waits without a time is due as soon as the attempt ended. */
function dueAtOf({ state, dueAt }: Partial<Facts>, end: number): number | null {
  return state === 'waiting' ? Math.round(dueAt ?? end) : null
}

function endOf({ startedAt, duration }: AttemptRecord): number {
  return Math.round(startedAt + duration)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
