/** What the recipients of a delivery are sent. */

import { type UnsubscribeLinks, wantsLinks } from '../email/unsubscribe-link.ts'
import { parseAddressList } from '../mail/address/address.ts'
import type { MessageBody, MessageContent } from '../mail/message.ts'
import type { ClaimedEmail, ClaimedRecipient } from '../store/store.ts'
import type { DeliveryMessage } from './delivery.ts'

/**
 * The same for all recipients, or in batch sending the own copy of the one that there is. `links`: null where
 * recipients do not know how to reach the service; what stands for a link then stays.
 */
export function messageFor(
  email: ClaimedEmail,
  recipients: ClaimedRecipient[],
  links: UnsubscribeLinks | null,
): DeliveryMessage {
  if (!email.individual) {
    return email.raw === null
      ? { kind: 'parts', content: email.content }
      : { kind: 'raw', raw: email.raw, date: email.content.date, addressee: null }
  }
  const [recipient] = recipients
  const { address, name, text } = shownMailboxOf(email.content, recipient!)
  const addressee = { address, name, variables: variablesOf(email, recipient!, links) }
  if (email.raw !== null) return { kind: 'raw', raw: email.raw, date: email.content.date, addressee }
  return { kind: 'parts', content: { ...email.content, to: [text] }, addressee }
}

function variablesOf(
  { id: emailId, companyId, domainId, content }: ClaimedEmail,
  { position, address, variables }: ClaimedRecipient,
  links: UnsubscribeLinks | null,
): Record<string, string> {
  const own = variables ?? {}
  if (links === null || !wantsLinks(content)) return own
  return { ...own, ...links.variables({ emailId, position, companyId, domainId, address }) }
}

interface ShownMailbox {
  address: string
  name: string
  /** The mailbox as the sender wrote it. */
  text: string
}

const shown = new WeakMap<string[], Map<string, ShownMailbox>>()

/** Whom a copy is addressed to: the recipient; for one in cc or bcc, the first of `to`, whose copy it is. */
function shownMailboxOf(content: MessageContent<MessageBody>, recipient: ClaimedRecipient): ShownMailbox {
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
