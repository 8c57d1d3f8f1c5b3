/** The outcomes of returned mail, as sentences. The page of the console uses it, too. */
import type { InboundMail, InboundOutcome } from '../email/inbound-mail.ts'

const OUTCOME_SENTENCES: Readonly<Record<InboundOutcome, string>> = {
  recorded: 'It was recorded with the email.',
  repeated: 'It changed nothing: what it reports was known.',
  kept: 'It changed nothing: it reports on no delivery, and is kept for people to read.',
  unproven:
    'It changed nothing: it came to no valid return path, and nothing proves that its sender handled the email.',
  no_email: 'It changed nothing: it names no email that is still known.',
  other_email: 'It changed nothing: it is about another message than the email of its return path.',
  no_recipient: 'It changed nothing: it names no recipient of the email.',
  too_many: 'It changed nothing: the email has had more reports than its recipients can explain.',
  counted: 'Its report about a domain is counted.',
  not_counted: 'Its report about a domain does not count.',
}

export function outcomeSentence({ outcome, note }: Pick<InboundMail, 'outcome' | 'note'>): string {
  const sentence = OUTCOME_SENTENCES[outcome]
  return note === null ? sentence : `${sentence} ${note}`
}
