import type { Extensions } from './extensions.ts'
import type { OutgoingMessage, Transaction } from './transaction.ts'

/**
 * An address that can stand between the brackets of a path without ending it (RFC 5321 4.1.2): a quoted or unquoted
 * local part, `@`, a domain. Intake is far stricter. This check ensures that a bug elsewhere cannot inject an SMTP
 * command.
 */
const path =
  /^(?:"(?:[^"\\\u0000-\u001f\u007f]|\\[\u0020-\u007e])*"|[^\u0000-\u0020\u007f"<>()[\]\\,;:@]+)@[^\u0000-\u0020\u007f"<>@\\]+$/

/** True for an address that may be sent as a forward-path; a reverse-path may also be empty. */
export function isSendable(address: string): boolean {
  return path.test(address) && address.isWellFormed()
}

export function isAscii(text: string): boolean {
  return !/[^\u0000-\u007f]/.test(text)
}

/** The MAIL command with the parameters that the server understands and the message needs. */
export function mailCommand(
  { sender, envelopeId }: Pick<Transaction, 'sender' | 'envelopeId'>,
  message: OutgoingMessage,
  extensions: Extensions,
  smtpUtf8: boolean,
): string {
  let command = `MAIL FROM:<${sender}>`
  // RFC 1870 6: SIZE goes only to a server that offers it, whether or not the server names a limit.
  if (extensions.sizeOffered) command += ` SIZE=${message.size}`
  // RFC 6152 3: declared for a message with 8-bit content; RFC 6531 3.6: a message that needs SMTPUTF8 is 8-bit by
  // nature.
  if (extensions.eightBitMime && (message.eightBit || message.smtpUtf8)) command += ' BODY=8BITMIME'
  if (smtpUtf8) command += ' SMTPUTF8'
  // RFC 3461 4.3: the header says which email a report is about, so the body need not come back.
  if (extensions.dsn && envelopeId !== undefined) command += ` RET=HDRS ENVID=${envelopeId()}`
  return command
}
