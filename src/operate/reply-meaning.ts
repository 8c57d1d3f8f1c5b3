/**
 * The meaning of a server's reply in a plain sentence, as far as its codes tell. Pure: the page of the console uses
 * it, too.
 */
import { replyText } from './reply-text.ts'

/** Words that mean the same at every server, and come before the codes. */
const WORDS: readonly [pattern: RegExp, meaning: string][] = [
  [/\bgr[ea]y-?\s?list/i, 'The server asks new senders to try again later (greylisting).'],
  [
    /\[TSS\d+\]/,
    'The server gets more mail from this address than it expects, or its users complain about it. It accepts mail again after a pause.',
  ],
]

/** RFC 3463, RFC 7372 and RFC 7505: the subject and detail of an enhanced code, whatever its class. */
const DETAILS: Readonly<Record<string, string>> = {
  '1.1': 'The address does not exist.',
  '1.2': 'The domain of the address takes no mail.',
  '1.3': 'The server does not accept the syntax of the address.',
  '1.6': 'The recipient has moved, and left no new address.',
  '1.8': 'The server cannot find the domain of the sender in DNS.',
  '1.10': 'The domain of the address takes no mail.',
  '2.1': 'The mailbox is disabled.',
  '2.2': 'The mailbox is full.',
  '2.3': 'The message is larger than the mailbox accepts.',
  '3.1': 'The server has no room for more mail.',
  '3.2': 'The server takes no mail at the moment.',
  '3.4': 'The message is larger than the server accepts.',
  '4.1': 'The server did not answer.',
  '4.2': 'The connection was lost.',
  '4.5': 'The server is overloaded.',
  '5.3': 'The message has more recipients than the server takes at once.',
  '7.1': 'A policy of the server rejects this message or its sender.',
  '7.20': 'The message has no valid DKIM signature.',
  '7.23': 'The SPF record of the sending domain does not name this server.',
  '7.25': 'The address of this server has no matching host name in DNS (reverse DNS).',
  '7.26': 'The message passed neither SPF nor DKIM as the server requires.',
  '7.27': 'The domain of the sender takes no mail, so the server takes none from it.',
  '7.28': 'The server limits how much mail it takes from this sender.',
}

const ENHANCED = /\b[45]\.(\d{1,3}\.\d{1,3})\b/

/** Null: the codes do not say it. */
export function replyMeaning(reply: { code: number | null; message: string | null }): string | null {
  if (reply.code !== null && reply.code < 400) return null
  const text = replyText(reply)
  const words = WORDS.find(([pattern]) => pattern.test(text))
  if (words !== undefined) return words[1]
  const detail = ENHANCED.exec(text)?.[1]
  return (detail !== undefined && DETAILS[detail]) || null
}
