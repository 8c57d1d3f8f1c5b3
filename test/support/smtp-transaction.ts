/** Targets and transactions for tests of the SMTP client. */
import { Dialogue } from '../../src/delivery/smtp/dialogue.ts'
import { openSession, type SmtpSession } from '../../src/delivery/smtp/session.ts'
import type { SmtpTarget } from '../../src/delivery/smtp/target.ts'
import type { SmtpTimeouts } from '../../src/delivery/smtp/timeouts.ts'
import type { RecipientReply, Transaction } from '../../src/delivery/smtp/transaction.ts'

/** Enough for a loaded machine, and short enough that a test whose server waits in vain fails instead of hanging. */
const patience: SmtpTimeouts = {
  connect: 10_000,
  greeting: 10_000,
  helo: 10_000,
  starttls: 10_000,
  auth: 10_000,
  mail: 10_000,
  rcpt: 10_000,
  data: 10_000,
  block: 10_000,
  dot: 10_000,
  behindDot: 10_000,
  quit: 2_000,
  opening: 30_000,
  transaction: 30_000,
}

/** A server on loopback, in clear. Time limits that are not given are generous. */
export function targetAt(port: number, changes: Partial<SmtpTarget> = {}): SmtpTarget {
  return {
    host: 'mx.example.test',
    address: '127.0.0.1',
    port,
    implicitTls: false,
    tls: 'off',
    credentials: null,
    helo: 'out.example.test',
    ...changes,
    timeouts: { ...patience, ...changes.timeouts },
  }
}

export interface TransactionChanges {
  sender?: string
  recipients?: string[]
  envelopeId?: string
  /** The message text, or its chunks. */
  text?: string | Uint8Array[]
  eightBit?: boolean
  smtpUtf8?: boolean
  mayHandOver?: () => boolean
}

/** A small message to one recipient. */
export function transactionOf(changes: TransactionChanges = {}): Transaction {
  const text = changes.text ?? 'Subject: hello\r\n\r\nhello\r\n'
  const chunks = typeof text === 'string' ? [Buffer.from(text, 'utf8')] : text
  return {
    sender: changes.sender ?? 'sender@example.test',
    envelopeId: changes.envelopeId === undefined ? undefined : () => changes.envelopeId!,
    recipients: changes.recipients ?? ['one@rcpt.test'],
    message: async () => ({
      chunks,
      size: chunks.reduce((size, chunk) => size + chunk.length, 0),
      eightBit: changes.eightBit ?? false,
      smtpUtf8: changes.smtpUtf8 ?? false,
    }),
    mayHandOver: changes.mayHandOver ?? (() => true),
  }
}

/** One transaction over a session of its own, which is still there afterwards. */
export async function sendOnce(
  target: SmtpTarget,
  changes: TransactionChanges = {},
): Promise<{ session: SmtpSession; replies: RecipientReply[]; dialogue: string }> {
  const dialogue = new Dialogue()
  const session = await openSession(target, dialogue)
  const replies = await session.send(transactionOf(changes), dialogue)
  return { session, replies, dialogue: dialogue.text }
}
