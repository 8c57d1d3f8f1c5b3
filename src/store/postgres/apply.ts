import type { NewEvent } from '../../email/event.ts'
import { foldedAscii } from '../../email/folded-ascii.ts'
import type { Facts, Happening } from '../../email/lifecycle.ts'
import type { FinalState } from '../../email/recipient.ts'
import { mapText } from '../json-columns.ts'
import type * as shared from '../recipient-decision.ts'
import { decideEach } from '../recipient-decision.ts'
import { allowListApplies } from '../suppression-rows.ts'
import { bool, int4, int8, text, unnestSql, uuid } from './columns.ts'
import type { DatabaseSession, Statement } from './database.ts'
import { factsOf, type LockedRecipient, QUARANTINED, type RecipientKey } from './facts.ts'
import { isRepeated, REPEATS, repeatColumns } from './full-mailboxes.ts'
import { allowedIn, uuidAt } from './rows.ts'

export type RecipientDecision = shared.RecipientDecision<string>

/**
 * Decides about recipients whose queue rows are locked, and writes the decisions; `now` in Unix ms. Returns the
 * decisions.
 */
export async function decideAndWrite(
  session: DatabaseSession,
  places: readonly RecipientKey[],
  happening: (recipient: LockedRecipient) => Happening,
  now: number,
): Promise<RecipientDecision[]> {
  const all = decideEach(await factsOf(session, places), happening)
  await apply(session, all, now)
  return all
}

interface FactsChange {
  recipient: LockedRecipient
  change: Partial<Facts>
  after: Facts
}

const PLACE = {
  email: uuid(({ recipient }: { recipient: LockedRecipient }) => recipient.email),
  position: int4(({ recipient }: { recipient: LockedRecipient }) => recipient.position),
}

const GONE = unnestSql<FactsChange>(1, PLACE)
const KEPT = unnestSql<FactsChange>(GONE.next, {
  ...PLACE,
  lease: int8(({ recipient, after }) => leaseOf(recipient, after)),
  due_at: int8(({ after }) => after.dueAt),
  timed: bool(({ change }) => 'dueAt' in change),
  suspicion: int4(({ after }) => after.suspicion),
  held: text(({ after }) => after.heldFor),
  cancel: bool(({ after }) => after.cancelRequested),
})
const KNOWN = unnestSql<FactsChange>(KEPT.next, {
  ...PLACE,
  state: text(({ after }) => (isLive(after) ? null : (after.state as FinalState))),
  attempts: int4(({ after }) => after.attempts),
  uncertain: bool(({ after }) => after.uncertain),
  preferred_server: text(({ after }) => after.preferredServer),
  postponed_since: int8(({ after }) => after.postponedSince),
  server: text(({ after }) => after.server),
  last_code: int4(({ after }) => after.lastCode),
  last_message: text(({ after }) => after.lastMessage),
})
const EVENTS = unnestSql<{ recipient: LockedRecipient; event: NewEvent }>(KNOWN.next, {
  email: PLACE.email,
  company: int4(({ recipient }) => recipient.company),
  recipient: PLACE.position,
  at: int8(({ event }) => event.at),
  type: text(({ event }) => event.type),
  detail: text(({ event }) => mapText(event.detail)),
})
const REFUSING = unnestSql<RecipientDecision>(EVENTS.next, {
  company: int4(({ recipient }) => recipient.company),
  folded: text(({ recipient }) => foldedAscii(recipient.address)),
  type: text(({ decision }) => decision.suppress!.type),
  address: text(({ recipient }) => recipient.address),
  reason: text(({ decision }) => decision.suppress!.reason),
  code: int4(({ decision }) => decision.suppress!.code),
  email_id: text(({ recipient }) => recipient.email),
})
const REFUSED = unnestSql<RecipientDecision>(REFUSING.next, {
  domain: text(({ recipient }) => recipient.domain),
  position: int4(({ recipient }) => recipient.position),
  ...repeatColumns(({ decision }: RecipientDecision) => decision.suppress),
})
const AT = `$${REFUSED.next}::int8`

/**
 * A recipient that waits for a later time gets its place in the turns when a claim finds it due. As in `record`, `= ANY
 * (ARRAY[...])` makes every plan use an index.
 */
const APPLY: Statement = {
  name: 'apply',
  text: `
WITH gone AS (
  DELETE FROM queue q USING ${GONE.as('g')} WHERE q.email = ANY (ARRAY[g.email]) AND q.position = g.position
), kept AS (
  UPDATE queue q SET lease = g.lease, due_at = g.due_at, suspicion = g.suspicion, held_for = g.held, cancel = g.cancel,
    ready = CASE WHEN g.timed THEN g.due_at IS NOT NULL AND g.due_at <= ${AT} ELSE q.ready END,
    held_domain = CASE WHEN g.held IS NOT NULL THEN q.held_domain END
  FROM ${KEPT.as('g')} WHERE q.email = ANY (ARRAY[g.email]) AND q.position = g.position
), known AS (
  UPDATE recipients r SET state = g.state, attempts = g.attempts, uncertain = g.uncertain, preferred_server = g.preferred_server,
    postponed_since = g.postponed_since, server = g.server, last_code = g.last_code, last_message = g.last_message
  FROM ${KNOWN.as('g')} WHERE r.email = ANY (ARRAY[g.email]) AND r.position = g.position
), logged AS (
  INSERT INTO events (${EVENTS.names}) SELECT * FROM ${EVENTS.unnest}
), refusing AS MATERIALIZED (
  SELECT s.*, s.email_id::uuid AS email, ${AT} AS at FROM (
    SELECT r.*, (SELECT e.domain_id FROM emails e WHERE e.id = r.email_id::uuid) AS domain_id
    FROM unnest(${[...Object.values(REFUSING.params), ...Object.values(REFUSED.params)].join(', ')})
      AS r (${REFUSING.names}, ${REFUSED.names})
  ) AS s
  WHERE NOT (${allowListApplies('type')} AND ${allowedIn('s')})
), ${REPEATS}, added AS (
  INSERT INTO suppressions (${REFUSING.names}, created_at, id, domain_id)
  SELECT DISTINCT ON (company, folded, type, domain_id) ${REFUSING.names}, ${AT}, ${uuidAt(AT)}, domain_id
  FROM refusing r WHERE ${isRepeated('r')}
  ORDER BY company, folded, type, domain_id
  ON CONFLICT (company, folded, type, domain_id) DO UPDATE
    SET tags = NULL, marks = NULL, added_by = pg_current_xact_id() WHERE suppressions.tags IS NOT NULL
  RETURNING company
)
SELECT EXISTS (SELECT 1 FROM added) AS suppressed`,
}

/**
 * Writes decisions about recipients whose rows are locked. A final state never leads back into the queue. `now` in Unix
 * ms. True when a suppression list got longer.
 */
export async function apply(
  session: DatabaseSession,
  all: readonly RecipientDecision[],
  now: number,
): Promise<boolean> {
  if (all.length === 0) return false
  const changed = all.flatMap(({ recipient, decision: { change } }): FactsChange[] => {
    return change === null ? [] : [{ recipient, change, after: { ...recipient, ...change } }]
  })
  const events = all.flatMap(({ recipient, decision }) =>
    decision.events.map((event) => ({ recipient, event })),
  )
  const refused = all.filter(({ decision }) => decision.suppress !== null)
  const [row] = await session.run<{ suppressed: boolean }>(APPLY, [
    ...GONE.values(changed.filter(({ recipient, after }) => isLive(recipient) && !isLive(after))),
    ...KEPT.values(changed.filter(({ change, after }) => isLive(after) && touches(change, OF_QUEUE))),
    ...KNOWN.values(changed.filter(({ change, after }) => !isLive(after) || touches(change, OF_RECIPIENT))),
    ...EVENTS.values(events),
    ...REFUSING.values(refused),
    ...REFUSED.values(refused),
    Math.round(now),
  ])
  return row!.suppressed
}

const OF_QUEUE = ['state', 'dueAt', 'suspicion', 'heldFor', 'cancelRequested'] as const
const OF_RECIPIENT = [
  'attempts',
  'uncertain',
  'preferredServer',
  'postponedSince',
  'server',
  'lastCode',
  'lastMessage',
] as const

function touches(change: Partial<Facts>, names: readonly (keyof Facts)[]): boolean {
  return names.some((name) => name in change)
}

function isLive({ state }: Facts): boolean {
  return state === 'waiting' || state === 'sending' || state === 'quarantined'
}

function leaseOf({ lease }: LockedRecipient, { state }: Facts): number | null {
  if (state === 'waiting') return null
  return state === 'quarantined' ? QUARANTINED : lease
}
