/** The purpose of a listener. The SMTP servers of the service differ only in it. */
import type { SmtpListener } from '../config/settings.ts'
import type { Login, SessionContext } from './context.ts'
import type { LoginExchange } from './login-exchange.ts'
import type { SubmissionReply } from './reply.ts'

/** The sender and the recipients of a transaction (RFC 5321 2.3.1), so far. */
export interface Envelope {
  sender: string
  recipient: string[]
}

/** MAIL, RCPT and DATA (RFC 5321 3.3): one transaction after another. */
export interface MailTransactions {
  /** Whether a transaction is open. */
  readonly begun: boolean
  /** Of the open transaction; null: none is open. */
  readonly envelope: Envelope | null
  /** Between 354 and the reply to the final dot. */
  readonly atMessage: boolean
  /** `login`: null on a listener without logins. */
  mail(rest: string, login: Login | null): SubmissionReply | Promise<SubmissionReply>
  rcpt(rest: string): SubmissionReply
  /**
   * Resolves with the reply to the message. Rejects with the error that refuses DATA before 354, or with one that ends
   * the session.
   */
  data(rest: string, login: Login | null): Promise<SubmissionReply>
  reset(): void
}

/** The parts of one session that depend on the policy. */
export interface SessionWork {
  transactions: MailTransactions
  /** Null: clients do not log in. */
  logins: LoginExchange | null
  /** Ms for the next line of a client that has not logged in. */
  idle(): number
}

export interface MailPolicy {
  /** The setting with the addresses of the listeners. */
  setting: string
  /** Octets of a message, announced by SIZE. */
  maxSize: number
  help(listener: SmtpListener): string
  begin(context: SessionContext, listener: SmtpListener): SessionWork
}
