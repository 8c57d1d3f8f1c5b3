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
 * The results of a whole group in one statement. ($1-$16 and $18-$22: recipients, by column, with the first event of each. $23-$28: their
 * other events. $29-$37: attempts.)
 *
 * What ended leaves the queue, what waits again stays. A recipient that was to be canceled does not wait for another attempt:
 * then the event is ours instead of those given.
 *
 * How it is written decides how it runs, also by a plan made when the tables were small. `= ANY (ARRAY[...])` can be looked
 * up in an index but not be made a hash or merge join, which would read a whole table; `(... = ...) IS TRUE` is looked up in
 * no index (all that a node has under way is under one lease); `(... IN (SELECT ...)) IS TRUE` is answered by a hash table
 * where a join of two lists might compare each with each.
 */
const RECORD: Statement = {
  name: 'record',
  text: `
WITH given AS MATERIALIZED (
  SELECT * FROM unnest(
    $1::int4[], $2::uuid[], $3::int4[], $4::int8[], $5::text[], $6::int8[], $7::bool[], $8::bool[], $9::bool[],
    $10::text[], $11::int4[], $12::text[], $13::bool[], $14::bool[], $15::text[], $16::int8[], $18::int8[], $19::int4[],
    $20::text[], $21::int8[], $22::text[]
  ) WITH ORDINALITY AS t (attempt, email, position, token, state, due_at, ready, tried, uncertain, preferred_server,
    code, message, suppress, held, server, at, postponed_since, suspicion, event, event_at, detail, num)
), ended AS (
  DELETE FROM queue q USING given g
  WHERE q.email = ANY (ARRAY[g.email]) AND q.position = g.position AND (q.lease = g.token) IS TRUE
    AND (g.state <> 'waiting' OR q.cancel)
  RETURNING g.*, q.company, CASE WHEN g.state = 'waiting' THEN 'canceled' ELSE g.state END AS final, g.state = 'waiting' AS canceled
), again AS (
  UPDATE queue q SET lease = NULL, due_at = g.due_at, ready = g.ready,
    suspicion = CASE WHEN g.tried THEN g.suspicion ELSE greatest(q.suspicion, g.suspicion) END,
    held_for = CASE WHEN g.held THEN (SELECT e.domain_id FROM emails e WHERE e.id = g.email) END
  FROM given g
  WHERE g.state = 'waiting' AND q.email = ANY (ARRAY[g.email]) AND q.position = g.position
    AND (q.lease = g.token) IS TRUE AND NOT q.cancel
  RETURNING g.*, q.company, NULL::text AS final, false AS canceled
), moved AS MATERIALIZED (
  SELECT * FROM ended UNION ALL SELECT * FROM again
), known AS (
  UPDATE recipients r SET
    state = m.final,
    attempts = CASE WHEN m.tried AND m.postponed_since IS NULL THEN r.attempts + 1 ELSE r.attempts END,
    preferred_server = CASE WHEN m.tried THEN m.preferred_server ELSE r.preferred_server END,
    uncertain = CASE WHEN m.tried THEN m.uncertain ELSE r.uncertain END,
    server = CASE WHEN m.tried THEN m.server ELSE r.server END,
    last_code = CASE WHEN m.tried THEN m.code ELSE r.last_code END,
    postponed_since = CASE WHEN m.tried THEN m.postponed_since ELSE coalesce(m.postponed_since, r.postponed_since) END,
    last_message = CASE WHEN m.tried OR m.message <> '' THEN m.message ELSE r.last_message END
  FROM moved m
  WHERE r.email = ANY (ARRAY[m.email]) AND r.position = m.position
  RETURNING m.attempt, m.position, m.email, m.company, m.suppress, m.message, m.at, r.address
), attempted AS (
  INSERT INTO attempts (email, started_at, duration, recipients, server, tls, dialogue)
  SELECT email, started_at, duration,
    CASE WHEN (num IN (SELECT attempt FROM given WHERE tried AND (num IN (SELECT num FROM moved)) IS NOT TRUE)) IS TRUE
      THEN (SELECT '[' || string_agg(m.position::text, ',' ORDER BY m.position) || ']' FROM moved m
            WHERE m.attempt = a.num AND m.tried)
      ELSE recipients END,
    server, tls, dialogue
  FROM unnest($29::int4[], $30::uuid[], $31::int8[], $32::int8[], $33::text[], $34::text[], $35::text[], $36::text[])
    AS a (num, email, started_at, duration, recipients, server, tls, dialogue)
  WHERE (num IN (SELECT attempt FROM moved WHERE tried)) IS TRUE
), caught AS (
  INSERT INTO captured (email, recipients, raw)
  SELECT email, (SELECT '[' || string_agg(m.position::text, ',' ORDER BY m.position) || ']' FROM moved m
                 WHERE m.attempt = a.num AND m.tried), captured
  FROM unnest($29::int4[], $30::uuid[], $37::bytea[]) AS a (num, email, captured)
  WHERE captured IS NOT NULL AND (num IN (SELECT attempt FROM moved WHERE tried)) IS TRUE
), noted AS (
  INSERT INTO events (email, company, recipient, at, type, detail)
  (SELECT email, company, position, CASE WHEN canceled THEN at ELSE event_at END, CASE WHEN canceled THEN 'canceled' ELSE event END,
     CASE WHEN canceled THEN json_build_object('message', message)::text ELSE detail END
   FROM moved WHERE canceled OR event IS NOT NULL ORDER BY num)
  UNION ALL
  SELECT email, (SELECT m.company FROM emails m WHERE m.id = e.email), recipient, at, type, detail
  FROM unnest($23::int8[], $24::uuid[], $25::int4[], $26::int8[], $27::text[], $28::text[])
    AS e (num, email, recipient, at, type, detail)
  WHERE (num IN (SELECT num FROM moved WHERE NOT canceled)) IS TRUE
), added AS (
  INSERT INTO suppressions (company, folded, address, reason, created_at, email_id)
  SELECT DISTINCT ON (company, folded) company, folded, address,
    CASE WHEN message = '' THEN 'refused by its server' ELSE message END, at, email::text
  FROM (SELECT *, translate(address, $17, lower($17)) AS folded FROM known WHERE suppress) AS refusing
  ORDER BY company, folded, at
  ON CONFLICT DO NOTHING
  RETURNING company
)
SELECT attempt, position, EXISTS (SELECT 1 FROM added) AS suppressed FROM known`,
}

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** One result with the attempt that brought it. */
interface Result {
  num: number
  attempt: AttemptRecord
  recipient: RecipientRecord
}

export async function writeResults(database: Database, attempts: readonly AttemptRecord[]): Promise<Moved[]> {
  const results = attempts.flatMap((attempt, num) => {
    return attempt.recipients.map((recipient): Result => ({ num, attempt, recipient }))
  })
  // Rows are locked in this order: two statements that meet wait for one another one way only.
  results.sort(
    (a, b) => compare(a.attempt.emailId, b.attempt.emailId) || a.recipient.position - b.recipient.position,
  )
  return await database.write<Moved>(RECORD, [
    ...resultColumns(results),
    CAPITALS,
    int8s(results.map(({ recipient }) => recipient.postponedSince ?? null)),
    int4s(results.map(({ recipient }) => recipient.suspicion ?? 0)),
    ...firstEventColumns(results),
    ...otherEventColumns(results),
    ...attemptColumns(attempts),
  ])
}

function resultColumns(results: readonly Result[]): Buffer[] {
  const recipients = results.map(({ recipient }) => recipient)
  return [
    int4s(results.map(({ num }) => num)),
    uuids(results.map(({ attempt }) => attempt.emailId)),
    int4s(recipients.map(({ position }) => position)),
    int8s(results.map(({ attempt }) => attempt.leaseToken)),
    texts(recipients.map(({ state }) => state)),
    int8s(results.map(dueAtOf)),
    bools(results.map((result) => (dueAtOf(result) ?? 0) <= endOf(result.attempt))),
    bools(recipients.map(({ tried }) => tried)),
    bools(recipients.map(({ uncertain }) => uncertain)),
    texts(recipients.map(({ preferredServer }) => preferredServer)),
    int4s(recipients.map(({ code }) => code)),
    texts(recipients.map(({ message }) => message)),
    bools(recipients.map(({ suppress }) => suppress)),
    bools(recipients.map(({ held }) => held === true)),
    texts(results.map(({ attempt }) => attempt.server)),
    int8s(results.map(({ attempt }) => endOf(attempt))),
  ]
}

/** Nearly every result has one event: it goes with its recipient. */
function firstEventColumns(results: readonly Result[]): Buffer[] {
  const events = results.map(({ recipient }) => recipient.events[0])
  return [
    texts(events.map((event) => event?.type ?? null)),
    int8s(events.map((event) => (event === undefined ? null : Math.round(event.at)))),
    texts(events.map((event) => (event === undefined ? null : mapText(event.detail)))),
  ]
}

function otherEventColumns(results: readonly Result[]): Buffer[] {
  const events = results.flatMap(({ attempt, recipient }, index) => {
    return recipient.events.slice(1).map((event) => ({ ...event, num: index + 1, attempt, recipient }))
  })
  return [
    int8s(events.map(({ num }) => num)),
    uuids(events.map(({ attempt }) => attempt.emailId)),
    int4s(events.map(({ recipient }) => recipient.position)),
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
  return recipients.filter(({ tried }) => tried).map(({ position }) => position)
}

/** A recipient that waits without a time is due as soon as the attempt ended. */
function dueAtOf({ attempt, recipient }: Result): number | null {
  if (recipient.state !== 'waiting') return null
  return Math.round(recipient.dueAt ?? endOf(attempt))
}

function endOf({ startedAt, duration }: AttemptRecord): number {
  return Math.round(startedAt + duration)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
