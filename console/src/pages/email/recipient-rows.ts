/** The recipients of an email in the order of the table. Pure. */
import { CATEGORY_WORDS } from '../../../../src/email/category-word.ts'
import { CAPTURE_SERVER, type CountedState } from '../../../../src/email/recipient.ts'
import { replyText } from '../../../../src/operate/reply-text.ts'
import { STATES_BY_URGENCY } from '../../../../src/operate/status-sentence.ts'
import { STATUS_WORDS } from '../../../../src/operate/status-word.ts'
import type { EmailDetail, EmailRecipient } from '../../api/email.ts'

export interface RecipientLine {
  recipient: EmailRecipient
  /** The answer that contains the recipient's events and attempts. */
  email: EmailDetail
  state: CountedState
}

/** The recipients whose state most needs attention come first. */
export function rowsOf(pages: readonly EmailDetail[]): RecipientLine[] {
  return pages
    .flatMap((email) =>
      email.recipients.map((recipient) => ({ recipient, email, state: countedStateOf(recipient) })),
    )
    .toSorted((a, b) => STATES_BY_URGENCY.indexOf(a.state) - STATES_BY_URGENCY.indexOf(b.state))
}

function countedStateOf({ state, server }: EmailRecipient): CountedState {
  return state === 'delivered' && server === CAPTURE_SERVER ? 'captured' : state
}

/** `search`: a part of the address, of the word for the reason, or of the last reply. `state`: null for all. */
export function matching(
  rows: readonly RecipientLine[],
  { state: wanted, search }: { state: CountedState | null; search: string },
): readonly RecipientLine[] {
  const text = search.trim().toLowerCase()
  return rows.filter(
    ({ recipient, state }) =>
      (wanted === null || state === wanted) &&
      (text === '' || searched(recipient).toLowerCase().includes(text)),
  )
}

function searched(recipient: EmailRecipient): string {
  const word = recipient.category === null ? '' : CATEGORY_WORDS[recipient.category].word
  return `${recipient.address} ${word} ${replyText(recipient)}`
}

export function stateWord(state: CountedState): string {
  return state === 'waiting' ? 'Waiting' : STATUS_WORDS[state].word
}

/** The states of an email's recipients with their counts, the most urgent first. */
export function stateCounts({ states }: EmailDetail): { state: CountedState; count: number }[] {
  return STATES_BY_URGENCY.flatMap((state) => {
    const count = states[state] ?? 0
    return count === 0 ? [] : [{ state, count }]
  })
}
