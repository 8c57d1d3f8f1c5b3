/**
 * The table of the lifecycle as data: every happening in every state, with what becomes of a recipient. test/email/lifecycle.test.ts holds
 * the decisions to it, test/store/contract/lifecycle.ts both stores.
 */
import type { Happening, Outcome } from '../../../src/email/lifecycle.ts'
import { ATTEMPTS } from './attempts.ts'
import type { Row } from './cells.ts'
import { OPERATOR } from './operator.ts'
import { QUEUE } from './queue.ts'
import { REPORTS } from './reports.ts'

export * from './cells.ts'

/** A list of names, so that none is forgotten. */
type Named = 'attempted' | Exclude<Happening['kind'], 'attempted'>
export const KINDS: Record<Named, true> = {
  claimed: true,
  damaged: true,
  attempted: true,
  'given-back': true,
  'node-lost': true,
  cancel: true,
  reschedule: true,
  retry: true,
  'hold-released': true,
  quarantine: true,
  suspect: true,
  'quarantine-released': true,
  returned: true,
  complained: true,
  opened: true,
  clicked: true,
  unsubscribed: true,
}
export const VERDICTS: Record<Outcome['verdict'], true> = {
  delivered: true,
  bounced: true,
  failed: true,
  suppressed: true,
  deferred: true,
  uncertain: true,
  postponed: true,
  released: true,
}

export const TABLE: readonly Row[] = [...ATTEMPTS, ...QUEUE, ...OPERATOR, ...REPORTS]
