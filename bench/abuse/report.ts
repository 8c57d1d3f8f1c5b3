/** The results of a run of abuse, as they are stored and printed. */
import type { Provenance } from '../../harness/results.ts'
import { percentile } from '../statistics.ts'
import type { Statuses } from './order.ts'

export interface AttackFigure {
  attack: string
  what: string
  /** The other company: its answers, and ms from when each of its mails was due to the answer. */
  statuses: Statuses
  p50: number
  p99: number
  worst: number
  /** Highest resident set during the attack, in octets. */
  peak: number
  /** Turns of the main thread of more than 50 ms of its processor time, and ms of the longest, up to the bound of its bucket. */
  stalls: number
  longest: number
  abuser: Statuses
  /** Octets that the abuser wrote. */
  octets: number
}

export interface AbuseRun extends Provenance {
  cpus: string
  database: string
  connections: number
  seconds: number
  settings: Record<string, string>
  /** Resident set before the first attack, in octets. */
  idle: number
  attacks: AttackFigure[]
  accepted: number
  arrived: number
  lost: number
  doubled: number
  /** Ms from a kill -9 in the midst of all attacks to the next start's `/ready`; runs without a kill have none. */
  restart?: number
  passed: boolean
}

/** Limits that the other company and the process are held to. */
const MAX_P99 = 300
/** Ms of processor time for which the main thread may be away. */
const MAX_AWAY = 100

export function latencyFigures(latencies: number[]): Pick<AttackFigure, 'p50' | 'p99' | 'worst'> {
  return {
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
    worst: percentile(latencies, 100),
  }
}

export function shownStatuses(statuses: Statuses): string {
  return Object.entries(statuses)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')
}

/** What the service did wrong under the attack: limits that it exceeded, or answers other than 200. Empty: nothing. */
export function wrongWith({ p99, peak, statuses, longest }: AttackFigure, memory: number): string[] {
  const wrong: string[] = []
  if (!(p99 <= MAX_P99)) wrong.push(`p99 over ${MAX_P99} ms`)
  if (peak > memory) wrong.push('memory')
  if (longest > MAX_AWAY) wrong.push(`main thread away for more than ${MAX_AWAY} ms`)
  if (Object.keys(statuses).some((status) => status !== '200')) wrong.push('answers other than 200')
  return wrong
}
