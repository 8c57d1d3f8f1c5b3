/** Reads most mailboxes with one pattern: those that hold only words and an address. */
import { toAsciiDomain } from './idn.ts'
import { MAX_ADDRESS, MAX_LOCAL, type Mailbox } from './mailbox.ts'

/**
 * Words with single spaces between them and an address in brackets, or an address alone: no character that could mean
 * anything else.
 */
const PLAIN =
  /^(?:([\w!#$%&'*+\-./=?^`{|}~\u00a1-\u167f\u1681-\u1fff\u200b-\u202e\u2030-\u205e\u2060-\u27ff\u2801-\u2fff\u3001-\ud7ff]+(?: [\w!#$%&'*+\-./=?^`{|}~\u00a1-\u167f\u1681-\u1fff\u200b-\u202e\u2030-\u205e\u2060-\u27ff\u2801-\u2fff\u3001-\ud7ff]+)*) <([\w!#$%&'*+\-./=?^`{|}~]+)@([A-Za-z0-9.-]+)>|([\w!#$%&'*+\-./=?^`{|}~]+)@([A-Za-z0-9.-]+))$/
/** Longer texts are not plain. A name of this length is within its limit even with three octets for every character. */
const LONGEST_PLAIN = 320

/**
 * Reads a plain mailbox, with the same result as `address.ts`. Null for every other text, and for every invalid one.
 */
export function readPlain(text: string): Mailbox | null {
  // `address.ts` reads encoded words (RFC 2047).
  if (text.length > LONGEST_PLAIN || text.includes('=?')) return null
  const found = PLAIN.exec(text)
  if (found === null) return null
  const name = found[1] ?? ''
  const local = found[2] ?? found[4]!
  if (local.length > MAX_LOCAL || local.startsWith('.') || local.endsWith('.') || local.includes('..'))
    return null
  const { ascii } = toAsciiDomain(found[3] ?? found[5]!)
  if (ascii === undefined || local.length + 1 + ascii.length > MAX_ADDRESS) return null
  return { name, local, domain: ascii, address: `${local}@${ascii}`, text }
}
