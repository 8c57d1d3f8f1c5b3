/** The short way to read a mailbox, for the many that hold nothing but words and an address. */
import { toAsciiDomain } from './idn.ts'
import { MAX_ADDRESS, MAX_LOCAL, type Mailbox } from './mailbox.ts'

/**
 * Words with single spaces between them and an address in brackets, or an address alone: no character that could mean
 * anything else.
 */
const PLAIN =
  /^(?:([\w!#$%&'*+\-./=?^`{|}~\u00a1-\u167f\u1681-\u1fff\u200b-\u202e\u2030-\u205e\u2060-\u27ff\u2801-\u2fff\u3001-\ud7ff]+(?: [\w!#$%&'*+\-./=?^`{|}~\u00a1-\u167f\u1681-\u1fff\u200b-\u202e\u2030-\u205e\u2060-\u27ff\u2801-\u2fff\u3001-\ud7ff]+)*) <([\w!#$%&'*+\-./=?^`{|}~]+)@([A-Za-z0-9.-]+)>|([\w!#$%&'*+\-./=?^`{|}~]+)@([A-Za-z0-9.-]+))$/
/** Longer texts are not plain. With every character three octets, a name within it is still within its limit. */
const LONGEST_PLAIN = 320

/**
 * Most texts are one mailbox of the plainest kind: read here in one look, to what the rules of `address.ts` make of it
 * too. Null for every other text, and for whatever there is something wrong with.
 */
export function readPlain(text: string): Mailbox | null {
  // What may be an encoded word (RFC 2047) is for the rules to read.
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
