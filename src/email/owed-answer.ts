/** The answer for which an attempt waits, while it is under way. */

/** `connect`: no connection yet; `tls`: the handshake; `message`: the server has not taken the whole message yet. */
export const OWED_STEPS = [
  'connect',
  'proxy',
  'greeting',
  'ehlo',
  'starttls',
  'tls',
  'auth',
  'mail',
  'rcpt',
  'data',
  'message',
  'dot',
] as const
export type OwedStep = (typeof OWED_STEPS)[number]

export interface OwedAnswer {
  /** `mx.x.test [192.0.2.1]:25` */
  server: string
  step: OwedStep
  /** Unix ms: since when it is owed, and until when it is waited for. */
  since: number
  until: number
}
