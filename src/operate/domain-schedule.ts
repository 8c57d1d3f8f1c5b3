/** When the service asks DNS for the records of a domain again. */
import {
  CHECK_EVERY_MS,
  type DkimIdentity,
  isBeingSetUp,
  RETIRING_MS,
  type SendingDomain,
  SOONEST_CHECK_MS,
} from '../accounts/account.ts'
import { foundEverywhereAt } from '../accounts/dkim-delegation.ts'

/** The next wait, as a share of the whole wait for a record: after an hour DNS is asked every six minutes. */
const SHARE_OF_WAIT = 0.1
/**
 * Ms after a check in which DNS did not answer. Each further silence doubles the wait, up to an hour: such a check
 * takes a place for as long as the look-ups have patience.
 */
const AFTER_SILENCE_MS = 10 * 60_000

const DAY_MS = 24 * 60 * 60_000
/**
 * Ms between two checks of a domain that waits for its first records, while it is younger than `age` (ms): people
 * publish the records when they add a domain, or days later, or never.
 */
const SETUP_WAITS: readonly { age: number; wait: number }[] = [
  { age: 10 * 60_000, wait: SOONEST_CHECK_MS },
  { age: DAY_MS, wait: 10 * 60_000 },
  { age: 14 * DAY_MS, wait: CHECK_EVERY_MS },
  { age: 60 * DAY_MS, wait: DAY_MS },
]

export interface CheckResult {
  /** Unix ms. */
  checkedAt: number
  uncertain: boolean
  /** Ms since the previous check, if DNS did not answer in that one either; otherwise 0. */
  silentFor: number
  /** Ms for which a domain may send without its records. */
  grace: number
}

type ScheduledDomain = Pick<SendingDomain, 'id' | 'dkim' | 'lostSince' | 'sending' | 'createdAt' | 'seen'>

/** Unix ms. Null: when somebody asks for it. */
export function nextDomainCheck(domain: ScheduledDomain, result: CheckResult): number | null {
  const { id, dkim, lostSince } = domain
  const { checkedAt, uncertain, silentFor, grace } = result
  const afterSilence = Math.min(Math.max(2 * silentFor, AFTER_SILENCE_MS), CHECK_EVERY_MS)
  if (isBeingSetUp(domain)) {
    const wait = setupWait(domain, checkedAt)
    return wait === null ? null : checkedAt + (uncertain ? Math.max(wait, afterSilence) : wait)
  }
  const usual = uncertain ? checkedAt + afterSilence : nextTurn(id, checkedAt)
  const end = lostSince === null || lostSince + grace <= checkedAt ? [] : [lostSince + grace]
  return Math.round(Math.min(usual, ...end, ...dkim.flatMap((key) => dueFor(key, checkedAt))))
}

/** A domain whose DKIM record is in DNS is not given up: the others may follow. */
function setupWait({ createdAt, seen }: ScheduledDomain, checkedAt: number): number | null {
  const step = SETUP_WAITS.find(({ age }) => checkedAt - createdAt < age)
  return step?.wait ?? (seen.dkim === 'right' ? DAY_MS : null)
}

/**
 * Each domain has its own minute of the hour, made of its id. So domains that were checked together, after a pause of
 * the service, do not stay together.
 */
function nextTurn(id: string, checkedAt: number): number {
  const share = Number.parseInt(id.slice(-8), 16) / 2 ** 32
  const turn = share * CHECK_EVERY_MS
  return turn + (Math.floor((checkedAt - turn) / CHECK_EVERY_MS) + 1) * CHECK_EVERY_MS
}

function dueFor(key: DkimIdentity, checkedAt: number): number[] {
  const { rotation } = key
  if (rotation?.stage === 'next') {
    const signsAt = key.delegated ? foundEverywhereAt(key) : null
    const soon = checkedAt + Math.max((checkedAt - rotation.since) * SHARE_OF_WAIT, SOONEST_CHECK_MS)
    return signsAt !== null && signsAt > checkedAt ? [soon, signsAt] : [soon]
  }
  return rotation?.stage === 'retiring' ? [Math.max(retiresAt(rotation), checkedAt)] : []
}

/** Unix ms from which the record of a key that is retiring may be removed. */
export function retiresAt({ since }: { since: number }): number {
  return since + RETIRING_MS
}

/**
 * Unix ms at which sending ends without the records that DNS has lost; null: none is lost, or the domain sends nothing.
 */
export function sendsUntil(
  { lostSince, sending }: Pick<SendingDomain, 'lostSince' | 'sending'>,
  grace: number,
): number | null {
  return lostSince === null || sending !== 'active' ? null : lostSince + grace
}
