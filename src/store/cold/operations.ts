/**
 * The one list of the operations that both databases share. The stores, and the messages between the threads of
 * SQLite, follow from it.
 */
import { accountReads } from './account-reads.ts'
import { accountWrites } from './accounts.ts'
import { allowListReads, allowListSteps, allowListWrites } from './allow-list.ts'
import { attemptWrites } from './attempts.ts'
import { auditReads, auditWrites } from './audit.ts'
import { cancelRequestReads } from './cancel-requests.ts'
import { capturedReads } from './captured.ts'
import { dkimKeyWrites } from './dkim-keys.ts'
import { emailOrderReads } from './email-order.ts'
import { emailReads } from './emails.ts'
import { eventTimeReads } from './event-times.ts'
import { fileReads } from './files.ts'
import { followerReads, followerWrites } from './followers.ts'
import { invitationReads, invitationWrites } from './invitations.ts'
import { pauseReads, pauseWrites } from './pauses.ts'
import { peopleReads, peopleWrites } from './people.ts'
import type { PortSteps } from './port.ts'
import { seenTagReads } from './seen-tags.ts'
import { sessionReads, sessionWrites } from './sessions.ts'
import { suppressionReads, suppressionSteps, suppressionWrites } from './suppressions.ts'
import { tagReads, tagWrites } from './tags.ts'
import { webhookAttemptReads, webhookAttemptWrites } from './webhook-attempts.ts'
import { webhookLeaseWrites } from './webhook-leases.ts'
import { webhookRetryReads } from './webhook-retries.ts'
import { webhookReads, webhookWrites } from './webhooks.ts'

export const COLD_READS = {
  ...accountReads,
  ...allowListReads,
  ...auditReads,
  ...cancelRequestReads,
  ...capturedReads,
  ...emailOrderReads,
  ...emailReads,
  ...eventTimeReads,
  ...fileReads,
  ...followerReads,
  ...invitationReads,
  ...pauseReads,
  ...peopleReads,
  ...seenTagReads,
  ...sessionReads,
  ...suppressionReads,
  ...tagReads,
  ...webhookAttemptReads,
  ...webhookReads,
  ...webhookRetryReads,
}

export const COLD_WRITES = {
  ...accountWrites,
  ...allowListWrites,
  ...attemptWrites,
  ...auditWrites,
  ...dkimKeyWrites,
  ...followerWrites,
  ...invitationWrites,
  ...pauseWrites,
  ...peopleWrites,
  ...sessionWrites,
  ...suppressionWrites,
  ...tagWrites,
  ...webhookAttemptWrites,
  ...webhookLeaseWrites,
  ...webhookWrites,
}

/** Each does a bounded part of its work in a commit, and returns how much that was; the stores repeat it until 0. */
export const COLD_STEPS = { ...allowListSteps, ...suppressionSteps }

export type ColdReads = keyof typeof COLD_READS
export type ColdWrites = keyof typeof COLD_WRITES
export type ColdSteps = keyof typeof COLD_STEPS

type ColdOperation<On> = (port: On, ...args: never[]) => PortSteps<unknown>

/** Methods that carry out operations on a port. `run` goes through the steps of one call. */
export function bind<On, Name extends string, Bound>(
  operations: Readonly<Record<Name, ColdOperation<On>>>,
  port: On,
  run: (operation: () => PortSteps<unknown>) => unknown,
): Bound {
  const entries = Object.entries<ColdOperation<On>>(operations)
  return Object.fromEntries(
    entries.map(([name, operation]) => [name, (...args: never[]) => run(() => operation(port, ...args))]),
  ) as Bound
}

/** Sums up all steps until one has nothing left to do. */
export async function untilNone(step: () => Promise<number>): Promise<number> {
  let sum = 0
  while (true) {
    const done = await step()
    if (done === 0) return sum
    sum += done
  }
}
