/** What the load was told, held against what the mail servers saw. */
import { Doubles } from './doubles.ts'
import type { FaultLog } from './fault-log.ts'
import type { Early, Ledger } from './ledger.ts'
import { mailOf, recipientsOf } from './mail.ts'
import { refusedByFailedSync, refusedByLostCommit } from './refused.ts'

export interface Count {
  doubles: Doubles
  /** Addresses. */
  lost: string[]
  refusedButSent: string[]
  /** Recipients of refused messages that may have been sent: see refused.ts. */
  afterFailedSync: number
  afterLostCommit: number
}

export function countArrivals(ledger: Ledger, log: FaultLog): Count {
  const doubles = new Doubles()
  const lost: string[] = []
  const refusedButSent: string[] = []
  let afterFailedSync = 0
  let afterLostCommit = 0
  for (let number = 0; number < ledger.count; number++) {
    const fate = ledger.fate(number)
    for (const [index, slot] of ledger.slots(number).entries()) {
      const arrivals = ledger.arrivals(slot)
      const address = () => recipientsOf(mailOf(ledger.seed, number))[index] ?? `${number}-${index}`
      if (arrivals === 0 && fate === 'accepted' && !ledger.refused(slot)) {
        // Refused before anybody was named: the record of its end is looked at with the store.
        if (ledger.sessionRefusals.size === 0 || !mayHaveBounced(ledger, address())) lost.push(address())
      }
      if (arrivals > 0 && fate === 'refused') {
        if (refusedByFailedSync(ledger.refusedAt(number), log)) afterFailedSync++
        else if (refusedByLostCommit(ledger.refusedAt(number), log)) afterLostCommit++
        else refusedButSent.push(address())
      }
      if (arrivals > 1) doubles.add(address(), ledger.seen(slot), ledger.lives, log)
    }
  }
  return { doubles, lost, refusedButSent, afterFailedSync, afterLostCommit }
}

function mayHaveBounced({ sessionRefusals }: Ledger, address: string): boolean {
  const domain = Number(/@in(\d+)\./.exec(address)?.[1])
  return sessionRefusals.has(domain * 2) || sessionRefusals.has(domain * 2 + 1)
}

/** Scheduled messages that came before their time although no clock was wrong; in the end clocks are set forward. */
export function earlyArrivals(ledger: Ledger, log: FaultLog, peaceAt: number): Early[] {
  const clocksWereWrong = log.all.some(({ kind }) => kind === 'clock')
  return ledger.early.filter(
    ({ submittedAt, dotAt }) =>
      !(clocksWereWrong && dotAt >= peaceAt) && log.during(submittedAt, dotAt, ['clock']).length === 0,
  )
}
