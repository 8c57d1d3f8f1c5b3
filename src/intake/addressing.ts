import { AddressError, type Mailbox, parseAddressList } from '../mail/address/address.ts'
import type { NewRecipient, RecipientKind } from '../store/store.ts'
import { type AddressField, Refusal } from './refusal.ts'
import type { Submission } from './submission.ts'

/** The addresses of a submission, checked. */
export interface Addressing {
  from: Mailbox
  to: Mailbox[]
  cc: Mailbox[]
  bcc: Mailbox[]
  replyTo: Mailbox[]
}

/** Reads every address field. Throws a Refusal for what is missing or not an address. */
export function readAddressing(submission: Submission): Addressing {
  return {
    from: readSender(submission.from),
    to: readRecipients(submission.to),
    cc: mailboxes('cc', submission.cc),
    bcc: mailboxes('bcc', submission.bcc),
    replyTo: mailboxes('reply_to', submission.replyTo),
  }
}

/** The one mailbox a message is from. */
export function readSender(from: string): Mailbox {
  const found = mailboxes('from', [from])
  if (found.length === 0) throw new Refusal({ code: 'field_missing', field: 'from' })
  if (found.length > 1) {
    const detail = 'a message has exactly one sender address'
    throw new Refusal({ code: 'address_invalid', field: 'from', detail })
  }
  return found[0]!
}

/** At least one mailbox to send to. */
export function readRecipients(to: string[]): Mailbox[] {
  const found = mailboxes('to', to)
  if (found.length === 0) throw new Refusal({ code: 'field_missing', field: 'to' })
  return found
}

/**
 * The envelope: each address once, whatever fields name it (the first decides its kind). In batch sending each recipient
 * carries its values; one in cc or bcc gets the copy of the first in `to`, and so that one's values.
 */
export function envelopeOf(
  { to, cc, bcc }: Addressing,
  variables: Record<string, Record<string, string>> | undefined,
): NewRecipient[] {
  const byAddress = variables === undefined ? null : caseless(variables)
  const seen = new Set<string>()
  const recipients: NewRecipient[] = []
  const add = (kind: RecipientKind, mailboxes: Mailbox[]) => {
    for (const { address, domain } of mailboxes) {
      if (seen.has(address)) continue
      seen.add(address)
      const owner = kind === 'to' ? address : to[0]!.address
      const values = byAddress === null ? null : (byAddress.get(owner.toLowerCase()) ?? {})
      recipients.push({ address, domain, kind, variables: values })
    }
  }
  add('to', to)
  add('cc', cc)
  add('bcc', bcc)
  return recipients
}

function caseless(variables: Record<string, Record<string, string>>): Map<string, Record<string, string>> {
  return new Map(Object.entries(variables).map(([address, values]) => [address.toLowerCase(), values]))
}

function mailboxes(field: AddressField, values: string[]): Mailbox[] {
  try {
    return values.flatMap((value) => (value.trim() === '' ? [] : parseAddressList(value)))
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    throw new Refusal({ code: 'address_invalid', field, detail: error.message })
  }
}
