/** The rows of an email's table of recipients. Pure. */
import { CATEGORY_WORDS } from '../../../../src/email/category-word.ts'
import { CAPTURE_SERVER, type CountedState } from '../../../../src/email/recipient.ts'
import { replyText } from '../../../../src/operate/reply-text.ts'
import { STATES_BY_URGENCY } from '../../../../src/operate/status-sentence.ts'
import { STATUS_WORDS, type StatusName, statusNameOf } from '../../../../src/operate/status-word.ts'
import { countOf, type EmailDetail, type EmailRecipient } from '../../api/email.ts'

export interface RecipientLine {
  /** The recipient's position. */
  id: string
  recipient: EmailRecipient
  /** The answer that contains the recipient's events and attempts. */
  email: EmailDetail
  state: CountedState
}

/** The values of the table's filter. `waiting`: all waiting recipients, whatever they wait for. */
export type RecipientFilter = StatusName | 'waiting'

/** The recipients whose state most needs attention come first. */
export function rowsOf(pages: readonly EmailDetail[]): RecipientLine[] {
  return pages
    .flatMap((email) =>
      email.recipients.map((recipient) => {
        return { id: String(recipient.position), recipient, email, state: countedStateOf(recipient) }
      }),
    )
    .toSorted((a, b) => STATES_BY_URGENCY.indexOf(a.state) - STATES_BY_URGENCY.indexOf(b.state))
}

function countedStateOf({ state, server }: EmailRecipient): CountedState {
  return state === 'delivered' && server === CAPTURE_SERVER ? 'captured' : state
}

export interface RowFilter {
  /** Null: all. */
  status: RecipientFilter | null
  /** A part of the address, of the word for the reason, or of the last reply. */
  search: string
}

export function matching(
  rows: readonly RecipientLine[],
  { status: wanted, search }: RowFilter,
): readonly RecipientLine[] {
  const text = search.trim().toLowerCase()
  return rows.filter(
    ({ recipient, state }) =>
      (wanted === null || state === wanted || statusNameOf(recipient) === wanted) &&
      (text === '' || searchableText(recipient).toLowerCase().includes(text)),
  )
}

function searchableText(recipient: EmailRecipient): string {
  const word = recipient.category === null ? '' : CATEGORY_WORDS[recipient.category].word
  return `${recipient.address} ${word} ${replyText(recipient)}`
}

export function filterWord(filter: RecipientFilter): string {
  return filter === 'waiting' ? 'Waiting' : STATUS_WORDS[filter].word
}

/**
 * The statuses of an email's recipients with their counts, the most urgent first. Until all rows are loaded, all
 * waiting recipients count as one status.
 */
export function filterCounts(
  email: EmailDetail,
  rows: readonly RecipientLine[],
): { of: RecipientFilter; count: number }[] {
  return STATES_BY_URGENCY.flatMap((state): { of: RecipientFilter; count: number }[] => {
    const count = email.states[state] ?? 0
    if (count === 0) return []
    if (state !== 'waiting') return [{ of: state, count }]
    return rows.length < countOf(email) ? [{ of: state, count }] : waitingCounts(rows)
  })
}

function waitingCounts(rows: readonly RecipientLine[]): { of: StatusName; count: number }[] {
  const counts = new Map<StatusName, number>()
  for (const { recipient, state } of rows) {
    const of = statusNameOf(recipient)
    if (state === 'waiting') counts.set(of, (counts.get(of) ?? 0) + 1)
  }
  return [...counts].map(([of, count]) => ({ of, count }))
}
