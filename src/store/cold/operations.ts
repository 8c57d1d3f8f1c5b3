/**
 * The one list of the operations that both databases share. The stores, and the messages between the threads of
 * SQLite, follow from it.
 */
import type { Store } from '../store.ts'
import { accountReads } from './account-reads.ts'
import { accountWrites } from './accounts.ts'
import { attemptWrites } from './attempts.ts'
import { auditReads, auditWrites } from './audit.ts'
import { dkimKeyWrites } from './dkim-keys.ts'
import { followerReads, followerWrites } from './followers.ts'
import { invitationReads, invitationWrites } from './invitations.ts'
import { pauseReads, pauseWrites } from './pauses.ts'
import { peopleReads, peopleWrites } from './people.ts'
import type { Steps } from './port.ts'
import { sessionReads, sessionWrites } from './sessions.ts'
import { tagReads, tagWrites } from './tags.ts'
import { webhookAttemptReads, webhookAttemptWrites } from './webhook-attempts.ts'
import { webhookLeaseReads, webhookLeaseWrites } from './webhook-leases.ts'
import { webhookRetryReads } from './webhook-retries.ts'
import { webhookReads, webhookWrites } from './webhooks.ts'

export const COLD_READS = {
  ...accountReads,
  ...auditReads,
  ...followerReads,
  ...invitationReads,
  ...pauseReads,
  ...peopleReads,
  ...sessionReads,
  ...tagReads,
  ...webhookAttemptReads,
  ...webhookLeaseReads,
  ...webhookReads,
  ...webhookRetryReads,
}

export const COLD_WRITES = {
  ...accountWrites,
  ...attemptWrites,
  ...auditWrites,
  ...dkimKeyWrites,
  ...followerWrites,
  ...invitationWrites,
  ...pauseWrites,
  ...peopleWrites,
  ...sessionWrites,
  ...tagWrites,
  ...webhookAttemptWrites,
  ...webhookLeaseWrites,
  ...webhookWrites,
}

export type ColdReads = keyof typeof COLD_READS
export type ColdWrites = keyof typeof COLD_WRITES

type Operation<On> = (port: On, ...args: never[]) => Steps<unknown>

/** Methods that carry out operations on a port: `run` is how the port's steps are gone through. */
export function bind<On, Name extends string, Bound>(
  operations: Readonly<Record<Name, Operation<On>>>,
  port: On,
  run: (steps: Steps<unknown>) => unknown,
): Bound {
  const entries = Object.entries<Operation<On>>(operations)
  return Object.fromEntries(
    entries.map(([name, operation]) => [name, (...args: never[]) => run(operation(port, ...args))]),
  ) as Bound
}

export type ColdStore = Pick<Store, ColdReads | ColdWrites>
