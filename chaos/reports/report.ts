/** Reports about messages that had arrived: bounces, delays and complaints, as servers send them to the return path. */
import { bounce, complaint } from '../../harness/returned-mail.ts'
import type { EventType } from '../../src/email/event.ts'
import { SENDING_DOMAIN } from '../mail.ts'

/** `dead`: a bounce that suppresses the address. */
export const REPORT_KINDS = ['dead', 'bounce', 'delay', 'complaint'] as const
export type ReportKind = (typeof REPORT_KINDS)[number]

/** The event that a report leads to. */
export const EVENT_OF: Readonly<Record<ReportKind, EventType>> = {
  dead: 'bounced',
  bounce: 'bounced',
  delay: 'delivery_delayed',
  complaint: 'complained',
}

export interface Report {
  number: number
  kind: ReportKind
  /** The address that it is about. */
  recipient: string
  /** MAIL FROM of the message. */
  returnPath: string
  /** How often it is handed in until it is accepted. */
  copies: number
  /** Attempts that the service may have accepted, and those that it did accept. */
  attempts: number
  accepted: number
  /** The ids under which the service says that it keeps the mail. */
  mailIds: Set<string>
}

const NUMBER = /\bchaos report (\d+)\b/

/** The words by which a report is found again. */
const wordsOf = (number: number) => `chaos report ${number}`

/** The number of the report that has these words; null for any other text. */
export function readReportNumber(text: string): number | null {
  const digits = NUMBER.exec(text)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** The same octets each time. */
export function reportMail({ number, kind, recipient: to, returnPath }: Report): Buffer {
  const words = wordsOf(number)
  const common = {
    to,
    author: `orders@${SENDING_DOMAIN}`,
    id: `<report-${number}@mx.chaos.test>`,
    addressee: returnPath,
    subject: words,
  }
  switch (kind) {
    case 'dead':
      return Buffer.from(bounce({ ...common, words: `smtp; 550 5.1.1 User unknown, ${words}` }))
    case 'bounce':
      return Buffer.from(
        bounce({ ...common, status: '5.7.1', words: `smtp; 550 5.7.1 Not wanted, ${words}` }),
      )
    case 'delay':
      return Buffer.from(
        bounce({ ...common, action: 'delayed', status: '4.4.1', words: `smtp; 451 4.4.1 Busy, ${words}` }),
      )
    case 'complaint':
      return Buffer.from(complaint(common))
  }
}
