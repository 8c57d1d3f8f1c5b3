import type { Delivery, DeliveryMessage, SigningKey } from '../delivery/delivery.ts'
import type { Path } from '../delivery/path/path.ts'
import { messageSizes } from '../delivery/weight.ts'
import { queuedOf, sentOf } from '../email/codec.ts'
import { parseAddressList } from '../mail/address/address.ts'
import type { MessageContent } from '../mail/message.ts'
import type { ClaimedEmail, ClaimedRecipient, NewEmail, Suspicion } from '../store/store.ts'
import type { ReadyDelivery } from './ready-queues.ts'
import { UNRESOLVED } from './unresolved.ts'

/**
 * RFC 5321 4.5.3.1.8: a server must take at least 100 recipients in one transaction; more are not to be relied on.
 */
export const MAX_RECIPIENTS = 100

/** The work an accepted email leaves to do, in the shape a claim would bring it back. */
export function workOf(email: NewEmail, leased: number[]): ClaimedEmail {
  const work = queuedOf(email) as ClaimedEmail
  work.recipients = leased.map((position) => {
    const { address, domain, variables } = email.recipients[position]!
    return {
      position,
      address,
      domain,
      attempts: 0,
      variables,
      preferredServer: null,
      uncertain: false,
      postponedSince: null,
      suspicion: 0,
    }
  })
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
  return groups.map(({ path, recipients }) => ({
    companyId: email.companyId,
    path,
    email,
    recipients,
    leaseToken,
    size,
    messageSize: messageSize(recipients[0]!),
  }))
}

/** The gravest of the recipients. */
export function suspicionOf(recipients: readonly ClaimedRecipient[]): Suspicion {
  return recipients.reduce<Suspicion>(
    (gravest, { suspicion }) => (suspicion > gravest ? suspicion : gravest),
    0,
  )
}

/** What the courier is given. */
export function deliveryOf(
  { email, recipients, path, leaseToken }: ReadyDelivery,
  signing: SigningKey[],
): Delivery {
  return {
    emailId: email.id,
    ...sentOf(email),
    recipients,
    path,
    message: messageFor(email, recipients),
    signing,
    preferredServer: recipients[0]?.preferredServer ?? null,
    preferredOnly: recipients[0]?.uncertain ?? false,
    leaseToken,
    suspicion: suspicionOf(recipients),
  }
}

/** What these recipients of the email are sent: the same for all, or in batch sending one recipient's own copy. */
export function messageFor(email: ClaimedEmail, recipients: ClaimedRecipient[]): DeliveryMessage {
  if (!email.individual) {
    return email.raw === null
      ? { kind: 'parts', content: email.content }
      : { kind: 'raw', raw: email.raw, date: email.content.date, addressee: null }
  }
  const [recipient] = recipients
  const { address, name, text } = shownMailboxOf(email.content, recipient!)
  const addressee = { address, name, variables: recipient!.variables ?? {} }
  if (email.raw !== null) return { kind: 'raw', raw: email.raw, date: email.content.date, addressee }
  return { kind: 'parts', content: { ...email.content, to: [text] }, addressee }
}

interface ShownMailbox {
  address: string
  name: string
  /** The mailbox as the sender wrote it. */
  text: string
}

const shown = new WeakMap<string[], Map<string, ShownMailbox>>()

/** Whom a copy is addressed to: the recipient; for one in cc or bcc, the first of `to`, whose copy it is. */
function shownMailboxOf(content: MessageContent, recipient: ClaimedRecipient): ShownMailbox {
  let byAddress = shown.get(content.to)
  if (byAddress === undefined) {
    byAddress = new Map()
    for (const text of content.to) {
      for (const mailbox of parseAddressList(text)) {
        if (!byAddress.has(mailbox.address)) byAddress.set(mailbox.address, mailbox)
      }
    }
    shown.set(content.to, byAddress)
  }
  const mailbox = byAddress.get(recipient.address) ?? byAddress.values().next().value
  return mailbox ?? { address: recipient.address, name: '', text: recipient.address }
}
