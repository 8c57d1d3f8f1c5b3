/** The message of one recipient of a batch, for its events. */
import type { NoticeEmail, NoticeRecipient } from '../email/event-notice.ts'
import { AddressError, parseMailbox } from '../mail/address/address.ts'
import {
  type Addressee,
  filledMessageId,
  PLACEHOLDER,
  substitute,
  substituteField,
  substituteHeaderText,
  substituteNames,
} from '../mail/batch/substitute.ts'
import { HeaderError } from '../mail/header/header.ts'
import type { MessageContent } from '../mail/message.ts'

/** The message that a recipient of a batch got. */
export function copyOf(email: NoticeEmail, recipient: NoticeRecipient): NoticeEmail {
  const { address, mailbox, copySize } = recipient
  const addressee = addresseeOf(recipient)
  return {
    ...email,
    to: [mailbox ?? address],
    cc: [],
    from: fillText(email.from, (from) => substituteNames(from, 'From', addressee)),
    subject: fillText(email.subject, (subject) => substituteHeaderText(subject, 'Subject', addressee)),
    messageId: filledMessageId(email.messageId, addressee),
    headers: email.headers.map(([name, value]) => {
      return [name, fillText(value, () => substituteField(name, value, addressee))]
    }),
    variables: filledVariables(email.variables, addressee),
    size: copySize ?? email.size,
  }
}

/** The content of a batch with a recipient's values filled in. */
export function contentFor(content: MessageContent, recipient: NoticeRecipient): MessageContent {
  const { address, mailbox } = recipient
  const own = { ...content, to: [mailbox ?? address] }
  try {
    return substitute(own, addresseeOf(recipient))
  } catch (error) {
    if (error instanceof HeaderError || error instanceof AddressError) return own
    throw error
  }
}

function addresseeOf({ address, mailbox, copyOf, variables }: NoticeRecipient): Addressee {
  return { ...parseAddressee(copyOf ?? mailbox ?? address), variables: variables ?? {} }
}

function parseAddressee(mailbox: string): Pick<Addressee, 'address' | 'name'> {
  try {
    return parseMailbox(mailbox)
  } catch (error) {
    if (error instanceof AddressError) return { address: mailbox, name: '' }
    throw error
  }
}

/** Leaves the text as it is if the values are not allowed in it; the intake refuses such values. */
function fillText(text: string, fill: (text: string) => string): string {
  try {
    return fill(text)
  } catch (error) {
    if (error instanceof HeaderError || error instanceof AddressError) return text
    throw error
  }
}

/** The most characters of values that are filled in. Further placeholders stay as they are. */
const MAX_FILLED_IN = 16 * 1024

/** Fills in the variables of an email: like the text of the email, they may refer to variables of the recipients. */
function filledVariables(
  variables: Record<string, string>,
  { variables: values }: Addressee,
): Record<string, string> {
  let left = MAX_FILLED_IN
  const fill = (placeholder: string, key: string | undefined): string => {
    if (key === undefined || !Object.hasOwn(values, key)) return placeholder
    const value = values[key]!
    // A small template may refer to a large value a thousand times.
    if (value.length > left) return placeholder
    left -= value.length
    return value
  }
  const entries = Object.entries(variables).map(([name, text]) => [name, text.replace(PLACEHOLDER, fill)])
  return Object.fromEntries(entries)
}
