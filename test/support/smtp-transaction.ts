/** Targets and transactions for tests of the SMTP client. */
import { Dialogue } from '../../src/delivery/smtp/dialogue.ts'
import { openSession, type SmtpSession } from '../../src/delivery/smtp/session.ts'
import type { SmtpTarget } from '../../src/delivery/smtp/target.ts'
import type { RecipientReply, Transaction } from '../../src/delivery/smtp/transaction.ts'

/** A server on loopback, in clear, with patience enough for a loaded machine. */
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
  }
}

export interface TransactionChanges {
  sender?: string
  recipients?: string[]
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
