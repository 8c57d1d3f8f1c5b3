/**
 * The one list of the operations that both databases share. The stores, and the messages between the threads of
 * SQLite, follow from it.
 */

import type { Store } from '../store.ts'
import { accountReads } from './account-reads.ts'
import { accountWrites } from './accounts.ts'
import { alertReads, alertWrites } from './alerts.ts'
import { allowListReads, allowListSteps, allowListWrites } from './allow-list.ts'
import { apiRequestReads, apiRequestWrites } from './api-requests.ts'
import { attemptWrites } from './attempts.ts'
import { auditReads, auditWrites } from './audit.ts'
import { cancellationReads, cancellationWrites } from './cancellation.ts'
import { capturedReads } from './captured.ts'
import { companyLogoReads, companyLogoWrites } from './company-logos.ts'
import { dkimKeyWrites } from './dkim-keys.ts'
import { domainCheckReads, domainCheckWrites } from './domain-checks.ts'
import { domainReportReads, domainReportWrites } from './domain-reports.ts'
import { emailOrderReads } from './email-order.ts'
import { emailReads } from './emails.ts'
import { eventTimeReads } from './event-times.ts'
import { fileReads } from './files.ts'
import { followerReads, followerWrites } from './followers.ts'
import { holdReads, holdWalks } from './holds.ts'
import { inboundMailReads, inboundMailWrites } from './inbound-mails.ts'
import { invitationReads, invitationWrites } from './invitations.ts'
import { keyUseReads, keyUseWrites } from './key-uses.ts'
import { liveListReads } from './live-list.ts'
import { mtaStsReads, mtaStsWrites } from './mta-sts.ts'
import { nodeReads, nodeWrites } from './nodes.ts'
import { pauseReads, pauseWrites } from './pauses.ts'
import { peopleReads, peopleWrites } from './people.ts'
import type { PortSteps, WalkStep } from './port.ts'
import { quarantineReads, quarantineSteps, quarantineWrites } from './quarantine.ts'
import { reportWrites } from './reports.ts'
import { scheduleWrites } from './schedule.ts'
import { seenTagReads } from './seen-tags.ts'
import { sessionReads, sessionWrites } from './sessions.ts'
import { sharedPathReads, sharedPathWrites } from './shared-paths.ts'
import { siteReportReads, siteReportWrites } from './site-reports.ts'
import { sourcePoolReads, sourcePoolWrites } from './source-pools.ts'
import { suppressionReads, suppressionSteps, suppressionWrites } from './suppressions.ts'
import { tagReads, tagWrites } from './tags.ts'
import { webhookAttemptReads, webhookAttemptWrites } from './webhook-attempts.ts'
import { webhookLeaseWrites } from './webhook-leases.ts'
import { webhookRetryReads } from './webhook-retries.ts'
import { webhookReads, webhookWrites } from './webhooks.ts'

export const COLD_READS = {
  ...accountReads,
  ...alertReads,
  ...allowListReads,
  ...apiRequestReads,
  ...auditReads,
  ...cancellationReads,
  ...capturedReads,
  ...companyLogoReads,
  ...domainCheckReads,
  ...domainReportReads,
  ...emailOrderReads,
  ...emailReads,
  ...eventTimeReads,
  ...fileReads,
  ...followerReads,
  ...holdReads,
  ...inboundMailReads,
  ...invitationReads,
  ...keyUseReads,
  ...liveListReads,
  ...mtaStsReads,
  ...nodeReads,
  ...pauseReads,
  ...peopleReads,
  ...quarantineReads,
  ...seenTagReads,
  ...sessionReads,
  ...sharedPathReads,
  ...siteReportReads,
  ...sourcePoolReads,
  ...suppressionReads,
  ...tagReads,
  ...webhookAttemptReads,
  ...webhookReads,
  ...webhookRetryReads,
}

const COLD_WRITES = {
  ...accountWrites,
  ...alertWrites,
  ...allowListWrites,
  ...apiRequestWrites,
  ...attemptWrites,
  ...auditWrites,
  ...cancellationWrites,
  ...companyLogoWrites,
  ...dkimKeyWrites,
  ...domainCheckWrites,
  ...domainReportWrites,
  ...followerWrites,
  ...inboundMailWrites,
  ...invitationWrites,
  ...keyUseWrites,
  ...mtaStsWrites,
  ...nodeWrites,
  ...pauseWrites,
  ...peopleWrites,
  ...quarantineWrites,
  ...reportWrites,
  ...scheduleWrites,
  ...sessionWrites,
  ...sharedPathWrites,
  ...siteReportWrites,
  ...sourcePoolWrites,
  ...suppressionWrites,
  ...tagWrites,
  ...webhookAttemptWrites,
  ...webhookLeaseWrites,
  ...webhookWrites,
}

/** Each does a bounded part of its work in a commit, and returns how much that was; the stores repeat it until 0. */
const COLD_STEPS = { ...allowListSteps, ...quarantineSteps, ...suppressionSteps }

/** Each goes on where its last step has ended; the stores add up the work done. */
const COLD_WALKS = { ...holdWalks }

/** All operations that change something. */
export const COLD_CHANGES = { ...COLD_WRITES, ...COLD_STEPS, ...COLD_WALKS }

export type ColdWrites = keyof typeof COLD_WRITES
export type ColdSteps = keyof typeof COLD_STEPS
export type ColdWalks = keyof typeof COLD_WALKS

type ColdMethod = keyof typeof COLD_READS | keyof typeof COLD_CHANGES
type ColdOperation<On> = (port: On, ...args: never[]) => PortSteps<unknown>

/** Functions that carry out operations on a port. `run` goes through the steps of one call. */
export function bind<On, Bound>(
  operations: Readonly<Record<string, ColdOperation<On>>>,
  port: On,
  run: (operation: () => PortSteps<unknown>) => unknown,
): Bound {
  const entries = Object.entries(operations)
  return Object.fromEntries(
    entries.map(([name, operation]) => [name, (...args: never[]) => run(() => operation(port, ...args))]),
  ) as Bound
}

/** The methods of the store that are shared operations. `call` carries out an operation, or one step of it. */
export function coldMethods(
  call: (name: string, args: unknown[]) => Promise<unknown>,
): Pick<Store, ColdMethod> {
  const single = (name: string) => [name, (...args: unknown[]) => call(name, args)] as const
  const steps = (name: string) =>
    [name, (...args: unknown[]) => sumOfSteps(() => call(name, args) as Promise<number>)] as const
  const walks = (name: string) =>
    [
      name,
      (...args: unknown[]) => walk((place) => call(name, [place, ...args]) as Promise<WalkStep>),
    ] as const
  return Object.fromEntries([
    ...Object.keys({ ...COLD_READS, ...COLD_WRITES }).map(single),
    ...Object.keys(COLD_STEPS).map(steps),
    ...Object.keys(COLD_WALKS).map(walks),
  ]) as unknown as Pick<Store, ColdMethod>
}

/** Sums up all steps until one has nothing left to do. */
export async function sumOfSteps(step: () => Promise<number>): Promise<number> {
  let sum = 0
  while (true) {
    const done = await step()
    if (done === 0) return sum
    sum += done
  }
}

/** Sums up the steps of a walk. */
async function walk(step: (place: unknown) => Promise<WalkStep>): Promise<number> {
  let sum = 0
  let place: unknown = null
  do {
    const { done, next } = await step(place)
    sum += done
    place = next
  } while (place !== null)
  return sum
}
