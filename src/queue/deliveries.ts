import type { Delivery } from '../delivery/delivery.ts'
import { type Path, pathOf } from '../delivery/path/path.ts'
import { messageSizes } from '../delivery/weight.ts'
import { queuedOf, untriedOf } from '../email/codec.ts'
import type { ClaimedEmail, ClaimedRecipient, NewEmail, Suspicion } from '../store/store.ts'

/**
 * RFC 5321 4.5.3.1.8: a server must take at least 100 recipients in one transaction; more are not to be relied on.
 */
export const MAX_RECIPIENTS = 100

/**
 * A delivery that may start as soon as a session is free. What is composed of it and the keys that sign it are added
 * when it begins.
 */
export interface ReadyDelivery extends Omit<Delivery, 'message' | 'signing'> {
  email: ClaimedEmail
  recipients: ClaimedRecipient[]
  path: Path
  suspicion: Suspicion
  /** Octets it holds in memory while it waits: its share of the email's. */
  size: number
  /** Octets of the message: once it is begun it has a copy of its own, whoever else gets the same email. */
  messageSize: number
}

/** Stands for the path of a delivery that waits to know its own. */
export const UNRESOLVED: Path = pathOf({
  source: { name: '', helo: '' },
  site: { name: 'unresolved', key: 'unresolved', kind: 'direct', servers: null },
  policy: { id: '', route: { kind: 'direct' }, firstAlone: false },
  limits: { sessions: 0, waiting: 0 },
})

/** The work an accepted email leaves to do, in the shape a claim would bring it back. */
export function workOf(email: NewEmail, leased: number[]): ClaimedEmail {
  const work = queuedOf(email) as ClaimedEmail
  work.recipients = leased.map((position) => untriedOf(email.recipients[position]!, position))
  return work
}

/**
 * Cuts an email's recipients into deliveries: one for each path (and server that must be tried first), at most 100
 * recipients each; in batch sending one for each recipient. `pathOf` is asked once for each run of recipients at one
 * domain; null: not known yet.
 */
export function deliveriesOf(
  email: ClaimedEmail,
  leaseToken: number,
  pathOf: (domain: string) => Path | null,
): ReadyDelivery[] {
  const groups: { path: Path; recipients: ClaimedRecipient[] }[] = []
  const open = new Map<string, { path: Path; recipients: ClaimedRecipient[] }>()
  let last: string | null = null
  let path!: Path
  for (const recipient of email.recipients) {
    const { domain } = recipient
    if (domain !== last) path = pathOf(domain) ?? UNRESOLVED
    last = domain
    if (email.individual) {
      groups.push({ path, recipients: [recipient] })
      continue
    }
    // RFC 5321 lets one transaction have recipients of all domains that a server takes mail for, but some servers do
    // not: theirs never share one, though they share a path. A relay takes mail for all the world.
    const apart = path.site.kind === 'direct' ? domain : ''
    const key = `${path.key}\0${apart}\0${recipient.uncertain}\0${recipient.preferredServer ?? ''}`
    let group = open.get(key)
    if (group === undefined || group.recipients.length === MAX_RECIPIENTS) {
      group = { path, recipients: [] }
      open.set(key, group)
      groups.push(group)
    }
    group.recipients.push(recipient)
  }
  const size = Math.ceil(email.size / groups.length)
  const messageSize = messageSizes(email)
  return groups.map(({ path, recipients }) => {
    const [first] = recipients as [ClaimedRecipient]
    return {
      email,
      recipients,
      path,
      leaseToken,
      preferredServer: first.preferredServer,
      preferredOnly: first.uncertain,
      suspicion: gravest(recipients),
      size,
      messageSize: messageSize(first),
    }
  })
}

function gravest(recipients: readonly ClaimedRecipient[]): Suspicion {
  return recipients.reduce<Suspicion>((most, { suspicion }) => (suspicion > most ? suspicion : most), 0)
}
