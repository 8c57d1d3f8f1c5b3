/** Header fields named by the sender. */
import { AddressError, type Mailbox, parseAddressList } from '../address/address.ts'
import { describe } from '../address/idn.ts'
import { addressField } from './address-field.ts'
import { assertFieldName, assertHeaderText, encodeText, fold, HeaderError, hasNonAscii } from './header.ts'
import { isMailboxField, mailboxField, readMailboxField } from './mailbox-field.ts'

/** A field whose value must arrive unchanged: folded at its white space, nothing else. ASCII only. */
function verbatimField(name: string, value: string): string {
  assertHeaderText(value, `The value of ${name}`)
  const stray = /[^\x00-\x7f]/u.exec(value)
  if (stray) {
    throw new HeaderError(
      `The value of ${name} contains ${describe(stray[0])}, but only ASCII may stand there`,
    )
  }
  return fold(name, value)
}

/** Fields that hold mailboxes besides those of `mailbox-field.ts` (RFC 8098 2.1). */
const ADDRESS_FIELDS = new Set(['disposition-notification-to', 'return-receipt-to', 'errors-to'])

/**
 * Fields of message ids, URLs and keywords: an encoded word would be wrong in them (RFC 2047 5, RFC 2369 2, RFC 3834
 * 5).
 */
const VERBATIM_FIELDS = new Set([
  'references',
  'in-reply-to',
  'date',
  'auto-submitted',
  'precedence',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'list-subscribe',
  'list-help',
  'list-post',
  'list-owner',
  'list-archive',
])

/**
 * A field named by the sender. An ASCII value is folded and otherwise left alone, so encoded words stay as they are;
 * the mailboxes of trusted fields are rewritten. `''` for such a field without a mailbox.
 * @throws HeaderError when the value cannot stand there
 */
export function customField(name: string, value: string): string {
  assertFieldName(name)
  const lower = name.toLowerCase()
  if (isMailboxField(lower)) {
    assertHeaderText(value, `The value of ${name}`)
    return mailboxField(name, mailboxesOf(name, lower, value))
  }
  if (/^[\x00-\x7f]*$/.test(value) || VERBATIM_FIELDS.has(lower)) return verbatimField(name, value)
  assertHeaderText(value, `The value of ${name}`)
  if (ADDRESS_FIELDS.has(lower)) {
    return addressField(name, mailboxesOf(name, lower, value))
  }
  return fold(name, encodeText(value.trim(), name.length, hasNonAscii))
}

/** True when a custom field would put raw UTF-8 into the header (a mailbox with a non-ASCII local part). */
export function customFieldNeedsUtf8(name: string, value: string): boolean {
  if (!hasNonAscii(value)) return false
  const lower = name.toLowerCase()
  if (!isMailboxField(lower) && !ADDRESS_FIELDS.has(lower)) return false
  return mailboxesOf(name, lower, value).some((mailbox) => hasNonAscii(mailbox.local))
}

function mailboxesOf(name: string, lower: string, value: string): Mailbox[] {
  try {
    return isMailboxField(lower) ? readMailboxField(lower, value) : parseAddressList(value)
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    throw new HeaderError(`The value of ${name} is not valid: ${error.message}`, { cause: error })
  }
}
