/** What docs/reliability.md needs of a run. */
import type { Kept } from '../harness/results.ts'
import type { Cause } from './doubles.ts'
import type { FaultKind } from './fault-log.ts'
import { type ChaosReport, defects } from './report.ts'

export interface KeptRun extends Kept {
  store: string
  nodes: number
  seed: number
  /** How long faults struck. */
  minutes: number
  /** Faults that met somebody, by kind. */
  faults: Partial<Record<FaultKind, number>>
  /** Kinds that could not be had, with the reason. */
  missing: Record<string, string>
  requests: number
  /** Accepted. */
  messages: number
  recipients: number
  signaturesVerified: number
  lost: number
  doubled: Partial<Record<Cause, number>>
  unexplained: number
  /** Recipients of messages refused for a failed fsync, which the next start found committed. */
  sentAfterFailedSync: number
  /** Recipients of messages refused while their commit's fate could not be learned; absent: none. */
  sentAfterLostCommit?: number
  /** Events that webhooks were to be told of, in how many requests, and those that came more than once; absent: none. */
  webhooks?: { wanted: number; requests: number; again: number; lost: number; invented: number }
  /** Reports that came back, how often they were accepted, and those that were lost or counted twice; absent: none. */
  reports?: { reports: number; accepted: number; lost: number; doubled: number }
  /** What must not be, beside what was lost or is unexplained. */
  defects: Record<string, number>
}

export function keptRun(report: ChaosReport, commit: string): KeptRun {
  const { lost: _, 'doubled without a reason': __, ...others } = Object.fromEntries(defects(report))
  const struck = Object.entries(report.faults).flatMap(([kind, { struck }]) =>
    struck > 0 ? [[kind, struck]] : [],
  )
  const { unexplained, ...explained } = report.doubled
  const { webhooks, reports } = report
  return {
    at: report.startedAt,
    commit,
    store: report.database,
    nodes: report.nodes,
    seed: report.seed,
    minutes: Math.round(report.faultSeconds / 6) / 10,
    faults: Object.fromEntries(struck),
    missing: report.missing,
    requests: report.requests,
    messages: report.messages.accepted,
    recipients: report.acceptedRecipients,
    signaturesVerified: report.signaturesVerified,
    lost: report.lostCount,
    doubled: Object.fromEntries(Object.entries(explained).filter(([, count]) => count > 0)),
    unexplained,
    sentAfterFailedSync: report.sentAfterFailedSync,
    ...(report.sentAfterLostCommit > 0 && { sentAfterLostCommit: report.sentAfterLostCommit }),
    ...(webhooks !== null && {
      webhooks: {
        ...{ wanted: webhooks.wanted, requests: webhooks.requests, again: webhooks.again },
        ...{ lost: webhooks.lostCount, invented: webhooks.inventedCount },
      },
    }),
    ...(reports !== null && {
      reports: {
        reports: reports.reports,
        accepted: reports.accepted,
        lost: reports.lostCount,
        doubled: reports.doubledCount,
      },
    }),
    defects: others,
  }
}
