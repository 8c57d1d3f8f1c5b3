/**
 * Addresses that end inside the service, so that an application can rehearse every way a message can go. They work in
 * every mode, with a label: `bounced+42@simulator.test`. `email/simulated.ts` lists their domains.
 */
import type { Delivery, DeliveryRecipient, RecipientOutcome } from '../delivery.ts'
import type { RouteResult } from './route.ts'

type Rehearsal = (recipient: DeliveryRecipient) => Omit<RecipientOutcome, 'position'>

const delivered = { verdict: 'delivered', code: 250, enhancedCode: '2.1.5' } as const

const NO_ADDRESS = { category: 'address_unknown', permanent: true } as const

const REHEARSALS: Record<string, Rehearsal> = {
  delivered: () => ({ ...delivered, message: 'Simulator: delivered' }),
  // A rehearsed bounce must not keep the address from being rehearsed again: never `suppress`.
  bounced: () => ({
    verdict: 'bounced',
    code: 550,
    enhancedCode: '5.1.1',
    ...NO_ADDRESS,
    message: 'Simulator: 550 5.1.1 no such mailbox',
  }),
  complained: () => ({
    ...delivered,
    message: 'Simulator: delivered, and the recipient complained',
    complained: true,
  }),
  delayed: ({ attempts }) =>
    attempts === 0
      ? {
          verdict: 'deferred',
          code: 451,
          enhancedCode: '4.7.1',
          category: 'greylisted',
          message: 'Simulator: 451 4.7.1 try again later (the next attempt is accepted)',
        }
      : { ...delivered, message: 'Simulator: delivered at the second attempt' },
  suppressed: () => ({
    verdict: 'suppressed',
    message: 'Simulator: not sent, as if the address were on the suppression list',
  }),
}

function rehearse(recipient: DeliveryRecipient): Omit<RecipientOutcome, 'position'> {
  const { address } = recipient
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  const name = address.slice(0, at).toLowerCase().split('+', 1)[0]!
  const rehearsal = Object.hasOwn(REHEARSALS, name) ? REHEARSALS[name] : undefined
  if (rehearsal !== undefined) return rehearsal(recipient)
  const known = Object.keys(REHEARSALS).map((each) => `${each}@${domain}`)
  return {
    verdict: 'bounced',
    code: 550,
    enhancedCode: '5.1.1',
    ...NO_ADDRESS,
    message: `Simulator: there is no address ${address}. These addresses exist, each also with +label: ${known.join(', ')}`,
  }
}

/** Never fails; uses no network and composes nothing. */
export function simulate({ email, recipients }: Delivery): RouteResult {
  const outcomes = recipients.map(
    (recipient): RecipientOutcome =>
      email.testMode
        ? { position: recipient.position, ...delivered, message: 'Test mode: accepted, not sent' }
        : { position: recipient.position, ...rehearse(recipient) },
  )
  return { outcomes, server: 'simulator', tls: null }
}
