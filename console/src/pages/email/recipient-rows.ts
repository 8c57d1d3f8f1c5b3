/** The rows of an email's table of recipients. Pure. */
import { CATEGORY_WORDS } from '../../../../src/email/category-word.ts'
import { replyText } from '../../../../src/operate/reply-text.ts'
import { byUrgency, type StatusGroup } from '../../../../src/operate/status-sentence.ts'
import { STATUS_WORDS, statusNameOf } from '../../../../src/operate/status-word.ts'
import type { EmailDetail, EmailRecipient } from '../../api/email.ts'

export interface RecipientLine {
  /** The recipient's position. */
  id: string
  recipient: EmailRecipient
  /** The answer that contains the recipient's events and attempts. */
  email: EmailDetail
}

/** The recipients whose status most needs attention come first. */
export function rowsOf(pages: readonly EmailDetail[]): RecipientLine[] {
  return pages
    .flatMap((email) =>
      email.recipients.map((recipient) => ({ id: String(recipient.position), recipient, email })),
    )
    .toSorted((a, b) => byUrgency(a.recipient, b.recipient))
}

export interface RowFilter {
  /** Null: all. */
  status: StatusGroup | null
  /** A part of the address, of the word for the reason, or of the last reply. */
  search: string
}

export function matching(
  rows: readonly RecipientLine[],
  { status: wanted, search }: RowFilter,
): readonly RecipientLine[] {
  const text = search.trim().toLowerCase()
  return rows.filter(
    ({ recipient }) =>
      (wanted === null || isIn(wanted, recipient)) &&
      (text === '' || searchableText(recipient).toLowerCase().includes(text)),
  )
}

function isIn(group: StatusGroup, recipient: EmailRecipient): boolean {
  const { state } = recipient
  return group === 'waiting' ? state === 'waiting' || state === 'sending' : statusNameOf(recipient) === group
}

function searchableText(recipient: EmailRecipient): string {
  const word = recipient.category === null ? '' : CATEGORY_WORDS[recipient.category].word
  return `${recipient.address} ${word} ${replyText(recipient)}`
}

export function filterWord(filter: StatusGroup): string {
  return filter === 'waiting' ? 'Waiting' : STATUS_WORDS[filter].word
}
