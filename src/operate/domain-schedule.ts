/** When the service asks DNS for the records of a domain again. */
import { CHECK_EVERY_MS, type DkimIdentity, RETIRING_MS, type SendingDomain } from '../accounts/account.ts'
import { foundEverywhereAt } from '../accounts/dkim-delegation.ts'

/** Ms: a record that somebody is publishing at the moment is found soon. */
export const SOONEST_CHECK_MS = 60_000
/** The next wait, as a share of the whole wait for a record: after an hour DNS is asked every six minutes. */
const SHARE_OF_WAIT = 0.1
/**
 * Ms after a check in which DNS did not answer. Each further silence doubles the wait, up to an hour: such a check
 * takes a place for as long as the look-ups have patience.
 */
const AFTER_SILENCE_MS = 10 * 60_000

export interface CheckResult {
  /** Unix ms. */
  checkedAt: number
  uncertain: boolean
  /** Ms since the previous check, if DNS did not answer in that one either; otherwise 0. */
  silentFor: number
  /** Ms for which a domain may send without its records. */
  grace: number
}

/** Unix ms. */
export function nextDomainCheck(
  { id, dkim, lostSince }: Pick<SendingDomain, 'id' | 'dkim' | 'lostSince'>,
  { checkedAt, uncertain, silentFor, grace }: CheckResult,
): number {
  const afterSilence = Math.min(Math.max(2 * silentFor, AFTER_SILENCE_MS), CHECK_EVERY_MS)
  const usual = uncertain ? checkedAt + afterSilence : nextTurn(id, checkedAt)
  const end = lostSince === null || lostSince + grace <= checkedAt ? [] : [lostSince + grace]
  return Math.round(Math.min(usual, ...end, ...dkim.flatMap((key) => dueFor(key, checkedAt))))
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
