import { type Delivery, LARGE_MESSAGE } from '../delivery/delivery.ts'
import { type Path, pathOf, type Site } from '../delivery/path/path.ts'
import { messageSizes } from '../delivery/weight.ts'
import { queuedOf, untriedOf } from '../email/codec.ts'
import type { ClaimedEmail, ClaimedRecipient, NewEmail, Suspicion } from '../store/store.ts'

/** RFC 5321 4.5.3.1.8: a server must take at least 100 recipients in one transaction; a client cannot rely on more. */
export const MAX_RECIPIENTS = 100

/** A delivery that may start as soon as a session is free. Its message and signing keys are added when it begins. */
export interface ReadyDelivery extends Omit<Delivery, 'message' | 'signing'> {
  email: ClaimedEmail
  recipients: ClaimedRecipient[]
  path: Path
  suspicion: Suspicion
  /** Octets of memory that it counts for while it waits: its share of the email's size. */
  size: number
  /** Octets of its message: a delivery under way has a copy of its own, even when others deliver the same email. */
  messageSize: number
}

/** Stands in for a path that is still being looked up. */
export const UNRESOLVED: Path = pathOf({
  source: { name: '', helo: '' },
  site: { name: 'unresolved', key: 'unresolved', kind: 'direct', servers: null, provider: null },
  policy: { id: '', route: { kind: 'direct' }, firstAlone: false },
  limits: { sessions: 0, waiting: 0, messagesPerMinute: null, messagesPerHour: null },
  terms: {
    messagesPerSession: 1,
    recipientsPerTransaction: MAX_RECIPIENTS,
    tls: 'opportunistic',
    envelopeBehindDot: true,
    replies: [],
  },
})

/** The leased recipients of an email just accepted, in the form that a claim would return. */
export function workOf(email: NewEmail, leased: number[]): ClaimedEmail {
  const work = queuedOf(email) as ClaimedEmail
  work.recipients = leased.map((position) => untriedOf(email.recipients[position]!, position))
  return work
}

/**
 * Splits an email's recipients into deliveries: one for each path and preferred server, of no more recipients than the
 * site takes; in batch sending one for each recipient. `pathOf` is called once for each run of recipients at one
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
    // not: recipients of different domains never share a transaction, though they share a path. A relay takes mail for
    // any domain.
    const apart = path.site.kind === 'direct' ? domain : ''
    const key = `${path.key}\0${apart}\0${recipient.uncertain}\0${recipient.preferredServer ?? ''}`
    let group = open.get(key)
    if (group === undefined || group.recipients.length >= path.terms.recipientsPerTransaction) {
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

/** Splits a delivery whose path has become known, if the site takes fewer recipients at once. */
export function splitToFit(ready: ReadyDelivery): ReadyDelivery[] {
  const { recipients, path, size } = ready
  const most = path.terms.recipientsPerTransaction
  if (recipients.length <= most) return [ready]
  const parts: ReadyDelivery[] = []
  for (let at = 0; at < recipients.length; at += most) {
    const some = recipients.slice(at, at + most)
    parts.push({ ...ready, recipients: some, suspicion: gravest(some) })
  }
  for (const part of parts) part.size = Math.ceil(size / parts.length)
  return parts
}

/**
 * Whether `next` may be written behind the final dot of `before` in the same session (RFC 2920 3.1): it goes to the
 * same servers, with the same demands on TLS. The courier checks both again. Only mail of one company shares a session
 * this way, so that no message delays or ends another company's mail.
 */
export function mayFollow(next: ReadyDelivery, before: ReadyDelivery): boolean {
  if (next.email.companyId !== before.email.companyId) return false
  // A large message is composed elsewhere, and the session would wait for it.
  if (next.preferredServer !== null || next.messageSize >= LARGE_MESSAGE) return false
  if (next.email.tls !== before.email.tls) return false
  const [{ site }, { site: siteBefore }] = [next.path, before.path]
  if (site.kind !== 'direct' || site === siteBefore) return true
  return site.mtaSts?.mode === siteBefore.mtaSts?.mode && bestHosts(site) === bestHosts(siteBefore)
}

function bestHosts({ servers }: Site): string {
  return servers?.hosts.kind === 'hosts' ? servers.hosts.ranks[0]!.toSorted().join() : ''
}

function gravest(recipients: readonly ClaimedRecipient[]): Suspicion {
  return recipients.reduce<Suspicion>((most, { suspicion }) => (suspicion > most ? suspicion : most), 0)
}
