import { type Decision, decide, type Facts, type Happening } from '../../email/lifecycle.ts'
import type { FinalState } from '../../email/recipient.ts'
import { mapText } from '../json-columns.ts'
import { bools, int4s, int8s, texts, uuids } from './arrays.ts'
import type { Session, Statement } from './database.ts'
import { type Known, QUARANTINED } from './facts.ts'
import { folded } from './rows.ts'

/** What was decided about a recipient. */
export interface Decided {
  recipient: Known
  decision: Decision
}

/** Leaves out those for whom it has no effect. */
export function decided(recipients: readonly Known[], happening: (recipient: Known) => Happening): Decided[] {
  return recipients.flatMap((recipient) => {
    const decision = decide(recipient.facts, happening(recipient))
    return decision === null ? [] : [{ recipient, decision }]
  })
}

/**
 * $1, $2: what leaves the queue. $3-$10: what changes there. $11-$20: what changes of what is known of recipients.
 * $21-$26: events. $27-$32: suppressions. As in `record`, `= ANY (ARRAY[...])` is looked up in an index, whatever the
 * plan.
 */
const APPLY: Statement = {
  name: 'apply',
  text: `
WITH gone AS (
  DELETE FROM queue q USING unnest($1::uuid[], $2::int4[]) AS g (email, position)
  WHERE q.email = ANY (ARRAY[g.email]) AND q.position = g.position
), kept AS (
  UPDATE queue q SET lease = g.lease, due_at = g.due_at, ready = g.ready, suspicion = g.suspicion,
    held_for = g.held, held_domain = CASE WHEN g.held IS NOT NULL THEN q.held_domain END, cancel = g.cancel
  FROM unnest($3::uuid[], $4::int4[], $5::int8[], $6::int8[], $7::bool[], $8::int4[], $9::text[], $10::bool[])
    AS g (email, position, lease, due_at, ready, suspicion, held, cancel)
  WHERE q.email = ANY (ARRAY[g.email]) AND q.position = g.position
), known AS (
  UPDATE recipients r SET state = g.state, attempts = g.attempts, uncertain = g.uncertain, preferred_server = g.preferred_server,
    postponed_since = g.postponed_since, server = g.server, last_code = g.last_code, last_message = g.last_message
  FROM unnest(
    $11::uuid[], $12::int4[], $13::text[], $14::int4[], $15::bool[], $16::text[], $17::int8[], $18::text[], $19::int4[], $20::text[]
  ) AS g (email, position, state, attempts, uncertain, preferred_server, postponed_since, server, last_code, last_message)
  WHERE r.email = ANY (ARRAY[g.email]) AND r.position = g.position
), logged AS (
  INSERT INTO events (email, company, recipient, at, type, detail)
  SELECT * FROM unnest($21::uuid[], $22::int4[], $23::int4[], $24::int8[], $25::text[], $26::text[])
), added AS (
  INSERT INTO suppressions (company, folded, address, reason, created_at, email_id)
  SELECT DISTINCT ON (company, folded) *
  FROM unnest($27::int4[], $28::text[], $29::text[], $30::text[], $31::int8[], $32::text[])
    AS s (company, folded, address, reason, created_at, email_id)
  ORDER BY company, folded, created_at
  ON CONFLICT DO NOTHING
  RETURNING company
)
SELECT EXISTS (SELECT 1 FROM added) AS suppressed`,
}

/**
 * Writes decisions about recipients whose rows are locked. Nothing leads from a final state back into the queue. `now`
 * in Unix ms. True when a suppression list got longer.
 */
export async function apply(session: Session, all: readonly Decided[], now: number): Promise<boolean> {
  if (all.length === 0) return false
  const changed = all.flatMap(({ recipient, decision: { change } }) => {
    return change === null ? [] : [{ recipient, change, after: { ...recipient.facts, ...change } }]
  })
  const gone = changed.filter(({ recipient: { facts }, after }) => isLive(facts) && !isLive(after))
  const kept = changed.filter(({ change, after }) => isLive(after) && touches(change, OF_QUEUE))
  const known = changed.filter(({ change, after }) => !isLive(after) || touches(change, OF_RECIPIENT))
  const [row] = await session.run<{ suppressed: boolean }>(APPLY, [
    uuids(gone.map(({ recipient }) => recipient.email)),
    int4s(gone.map(({ recipient }) => recipient.position)),
    ...queueColumns(kept, Math.round(now)),
    ...recipientColumns(known),
    ...eventColumns(all),
    ...suppressionColumns(all, Math.round(now)),
  ])
  return row!.suppressed
}

interface Changed {
  recipient: Known
  change: Partial<Facts>
  after: Facts
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

function queueColumns(kept: readonly Changed[], now: number): Buffer[] {
  const dues = kept.map(({ after }) => (after.dueAt === null ? null : Math.round(after.dueAt)))
  return [
    uuids(kept.map(({ recipient }) => recipient.email)),
    int4s(kept.map(({ recipient }) => recipient.position)),
    int8s(kept.map(({ recipient, after }) => leaseOf(recipient, after))),
    int8s(dues),
    bools(kept.map(({ recipient, change }, index) => isReady(recipient, change, dues[index]!, now))),
    int4s(kept.map(({ after }) => after.suspicion)),
    texts(kept.map(({ after }) => after.heldFor)),
    bools(kept.map(({ after }) => after.cancelRequested)),
  ]
}

function leaseOf({ lease }: Known, { state }: Facts): number | null {
  if (state === 'waiting') return null
  return state === 'quarantined' ? QUARANTINED : lease
}

/** What waits for later has its place in the turns once a claim finds it due. */
function isReady({ ready }: Known, change: Partial<Facts>, dueAt: number | null, now: number): boolean {
  return 'dueAt' in change ? dueAt !== null && dueAt <= now : ready
}

function recipientColumns(known: readonly Changed[]): Buffer[] {
  const after = known.map((changed) => changed.after)
  return [
    uuids(known.map(({ recipient }) => recipient.email)),
    int4s(known.map(({ recipient }) => recipient.position)),
    texts(after.map((facts) => (isLive(facts) ? null : (facts.state as FinalState)))),
    int4s(after.map(({ attempts }) => attempts)),
    bools(after.map(({ uncertain }) => uncertain)),
    texts(after.map(({ preferredServer }) => preferredServer)),
    int8s(after.map(({ postponedSince }) => postponedSince)),
    texts(after.map(({ server }) => server)),
    int4s(after.map(({ lastCode }) => lastCode)),
    texts(after.map(({ lastMessage }) => lastMessage)),
  ]
}

function eventColumns(all: readonly Decided[]): Buffer[] {
  const events = all.flatMap(({ recipient, decision }) => {
    return decision.events.map((event) => ({ recipient, event }))
  })
  return [
    uuids(events.map(({ recipient }) => recipient.email)),
    int4s(events.map(({ recipient }) => recipient.company)),
    int4s(events.map(({ recipient }) => recipient.position)),
    int8s(events.map(({ event }) => Math.round(event.at))),
    texts(events.map(({ event }) => event.type)),
    texts(events.map(({ event }) => mapText(event.detail))),
  ]
}

function suppressionColumns(all: readonly Decided[], now: number): Buffer[] {
  const refusing = all.filter(({ decision }) => decision.suppress !== null)
  const recipients = refusing.map(({ recipient }) => recipient)
  return [
    int4s(recipients.map(({ company }) => company)),
    texts(recipients.map(({ address }) => folded(address))),
    texts(recipients.map(({ address }) => address)),
    texts(refusing.map(({ decision }) => decision.suppress!.reason)),
    int8s(refusing.map(() => now)),
    texts(recipients.map(({ email }) => email)),
  ]
}
