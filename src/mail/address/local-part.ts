/** The local part of an address: the text before the @. */
import { holdsEncodedWord } from '../header/encoded-word.ts'
import { describe, INVISIBLE } from './idn.ts'
import { fail, firstSpace, quote, unescapeQuoted } from './text.ts'

const NOT_ATEXT = /[^A-Za-z0-9!#$%&'*+\-/=?^_`{|}~.\u0080-\u{10ffff}]/u

/** RFC 5321 4.1.2 Dot-string, with non-ASCII as in RFC 6531 3.3. */
export function checkLocal(local: string, piece: string): void {
  if (local === '') fail(piece, 'is not an email address: nothing stands before the @')
  const scheme = /^(mailto|smtp|sip|https?):/i.exec(local)
  if (scheme) fail(piece, `has "${scheme[0]}" before the address: leave that out`)
  const space = firstSpace(local)
  if (space !== undefined) {
    fail(
      piece,
      `is not an email address: ${describe(space)} stands before the @; put "<" and ">" around the address`,
    )
  }
  const stray = NOT_ATEXT.exec(local)
  if (stray) fail(piece, `is not an email address: ${describe(stray[0])} before the @ needs quotation marks`)
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) {
    fail(piece, 'is not an email address: a dot before the @ must stand between two other characters')
  }
  checkReadable(local, piece)
}

/** Readers that decode or normalise the text before the @ would find another address there. */
function checkReadable(content: string, piece: string): void {
  if (INVISIBLE.test(content)) fail(piece, 'is not an email address: it contains an invisible character')
  if (holdsEncodedWord(content))
    fail(piece, 'is not an email address: "=?" before the @ begins an encoded word')
  const beyond = content.replace(/[\x00-\x7f]+/g, '')
  const syntax = beyond === '' ? null : NOT_ATEXT.exec(beyond.normalize('NFKC'))
  if (syntax) {
    fail(piece, `is not an email address: a character before the @ can be taken for ${describe(syntax[0])}`)
  }
}

/** The local part in its canonical form: quotes are kept only where the content needs them (RFC 5321 4.1.2). */
export function quotedLocal(inner: string, piece: string): string {
  const content = unescapeQuoted(inner)
  if (content === '') fail(piece, 'is not an email address: nothing stands before the @')
  const space = firstSpace(content.replaceAll(' ', ''))
  if (space !== undefined) fail(piece, `is not an email address: ${describe(space)} stands before the @`)
  checkReadable(content, piece)
  const plain =
    !NOT_ATEXT.test(content) && !content.startsWith('.') && !content.endsWith('.') && !content.includes('..')
  return plain ? content : quote(content)
}
