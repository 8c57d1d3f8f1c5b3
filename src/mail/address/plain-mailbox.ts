/** The fast way to read a mailbox, for the many that hold nothing but words and an address. */
import { toAsciiDomain } from './idn.ts'
import { MAX_ADDRESS, MAX_LOCAL, type Mailbox } from './mailbox.ts'

/**
 * Words with single spaces between them and an address in brackets, or an address alone: no character that could mean
 * anything else.
 */
const PLAIN =
  /^(?:([\w!#$%&'*+\-./=?^`{|}~\u00a1-\u167f\u1681-\u1fff\u200b-\u202e\u2030-\u205e\u2060-\u27ff\u2801-\u2fff\u3001-\ud7ff]+(?: [\w!#$%&'*+\-./=?^`{|}~\u00a1-\u167f\u1681-\u1fff\u200b-\u202e\u2030-\u205e\u2060-\u27ff\u2801-\u2fff\u3001-\ud7ff]+)*) <([\w!#$%&'*+\-./=?^`{|}~]+)@([A-Za-z0-9.-]+)>|([\w!#$%&'*+\-./=?^`{|}~]+)@([A-Za-z0-9.-]+))$/
/** Longer texts are not plain. Even with three octets for every character, a name within it is within its limit. */
const LONGEST_PLAIN = 320

/**
 * Reads a text that is one mailbox of the plainest kind, as most are, with one pattern; the result is the same as by
 * the rules of `address.ts`. Null for every other text, and for every invalid one.
 */
export function readPlain(text: string): Mailbox | null {
  // A possible encoded word (RFC 2047) is left to those rules.
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
