/** Writes fields of mailboxes (RFC 5322 3.4). */
import type { Mailbox } from '../address/address.ts'
import { quote } from '../address/text.ts'
import { encodeWords } from './encoded-word.ts'
import { assertHeaderText, fold, isSimple, MAX_FIRST, needsEncoding, QUOTED_OR_WORDS } from './header.ts'

/**
 * Mailboxes, folded between and inside them. Display names become atoms, quoted strings or encoded words; a non-ASCII
 * local part stays raw UTF-8, which makes the message need SMTPUTF8 (RFC 6532 3.2).
 */
export function addressField(name: string, mailboxes: Pick<Mailbox, 'name' | 'address'>[]): string {
  let value = ''
  for (const mailbox of mailboxes) {
    if (value !== '') value += ', '
    if (mailbox.name === '') {
      // Angle brackets keep readers from taking a quoted local part for a name or for the whole address.
      value += mailbox.address.startsWith('"') ? `<${mailbox.address}>` : mailbox.address
    } else {
      assertHeaderText(mailbox.name, `A display name in ${name}`)
      value += `${encodePhrase(mailbox.name, value === '' ? name.length : 0)} <${mailbox.address}>`
    }
  }
  return fold(name, value, QUOTED_OR_WORDS)
}

/**
 * The most characters of a quoted string, quotes included, that fit on the first line after the longest name of an
 * address field.
 */
const LONGEST_QUOTED = 60

/** RFC 5322 3.2.3 atoms with single spaces between them. */
const ATOMS = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/

/** RFC 5322 3.2.5 phrase. */
function encodePhrase(name: string, nameLength: number): string {
  if (isSimple(name) || !name.split(' ').some(needsEncoding))
    return ATOMS.test(name) ? name : quotedStrings(name)
  return name.includes('@') ? mixedPhrase(name) : encodeWords(name, MAX_FIRST - nameLength)
}

/**
 * Encoded words where they are needed, quoted strings for the rest: programs that decode a field before they look for
 * addresses in it would take an encoded @ for one.
 */
function mixedPhrase(name: string): string {
  const runs: { encoded: boolean; text: string }[] = []
  for (const word of name.split(' ')) {
    const encoded = needsEncoding(word)
    const last = runs.at(-1)
    if (last?.encoded === encoded) last.text += ` ${word}`
    else runs.push({ encoded, text: word })
  }
  return runs.map(({ encoded, text }) => (encoded ? encodeWords(text) : quotedStrings(text))).join(' ')
}

/** One quoted string, or several when it would be too long for a line: readers join them with a space. */
function quotedStrings(text: string): string {
  const pieces: string[] = []
  let piece = ''
  for (const word of text.split(/(?<=[^ ]) (?=[^ ])/)) {
    const longer = piece === '' ? word : `${piece} ${word}`
    if (piece !== '' && quote(longer).length > LONGEST_QUOTED) {
      pieces.push(piece)
      piece = word
    } else piece = longer
  }
  return [...pieces, piece].map(quote).join(' ')
}
