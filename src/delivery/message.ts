/** The message that the recipients of a delivery get. */
import { isOfService } from '../accounts/account.ts'
import type { LinkTokens } from '../email/mailed-links.ts'
import { type UnsubscribeLinks, wantsLinks } from '../email/unsubscribe-link.ts'
import { parseAddressList } from '../mail/address/address.ts'
import type { MessageBody, MessageContent } from '../mail/message.ts'
import type { ClaimedEmail, ClaimedRecipient } from '../store/store.ts'
import type { DeliveryMessage } from './delivery.ts'

/**
 * The same message for all recipients, or in batch sending the copy of its only recipient. `links` is null where
 * recipients have no way to reach the service, and `tokens` for everybody but the recipient; the placeholders then
 * stay.
 */
export function messageFor(
  email: ClaimedEmail,
  recipients: ClaimedRecipient[],
  links: UnsubscribeLinks | null,
  tokens: LinkTokens | null,
): DeliveryMessage {
  if (!email.individual) {
    return email.raw === null
      ? { kind: 'parts', content: email.content }
      : { kind: 'raw', raw: email.raw, date: email.content.date, addressee: null }
  }
  const [recipient] = recipients
  const { address, name, text } = headerMailboxOf(email.content, recipient!)
  const addressee = { address, name, variables: variablesOf(email, recipient!, links, tokens) }
  if (email.raw !== null) return { kind: 'raw', raw: email.raw, date: email.content.date, addressee }
  return { kind: 'parts', content: { ...email.content, to: [text] }, addressee }
}

function variablesOf(
  { id: emailId, companyId, domainId, keyId, content }: ClaimedEmail,
  { position, address, variables }: ClaimedRecipient,
  links: UnsubscribeLinks | null,
  tokens: LinkTokens | null,
): Record<string, string> {
  const own = variables ?? {}
  // Only mail of the service itself gets a token: a company could put one into a link to a server of its own.
  if (isOfService({ keyId })) return tokens?.withTokens(own) ?? own
  if (links === null || !wantsLinks(content)) return own
  return { ...own, ...links.variables({ emailId, position, companyId, domainId, address }) }
}

interface HeaderMailbox {
  address: string
  name: string
  /** The mailbox as the sender wrote it. */
  text: string
}

const shown = new WeakMap<string[], Map<string, HeaderMailbox>>()

/** The mailbox that a copy is addressed to: the recipient's; for a recipient in cc or bcc, the first of `to`. */
function headerMailboxOf(content: MessageContent<MessageBody>, recipient: ClaimedRecipient): HeaderMailbox {
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
