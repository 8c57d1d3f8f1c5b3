/**
 * Text that somebody else wrote, such as a subject, a name or a server's reply. It is isolated from the text
 * around it (`bdi`), and characters that are invisible or reorder text are made visible.
 */
import { createElement, type ReactNode } from 'react'

/** Control characters, and Unicode characters that change the direction of text or have no width. */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g

/** Longer text is cut: it is of no use on a page. */
const LONGEST = 20_000

export function visible(text: string, longest = LONGEST): string {
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text
  return shown.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0)!
    // Control characters have pictures of their own (from U+2400).
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    if (code === 0x7f) return '\u2421'
    return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
  })
}

export function UntrustedText({ children, empty = '' }: { children: string; empty?: string }) {
  if (children === '') return <bdi>{empty}</bdi>
  return createElement('bdi', null, ...breakable(visible(children)))
}

/** Words from this length on may be wider than their place on a phone. */
const LONG_WORD = /\S{16}/
/** Between the labels of a host name, and before the domain of an address. */
const LABELS = /(?<=\S)(?=[.@]\w)/
/** A text beyond that, such as a body, breaks anywhere. */
const LONGEST_NAME = 500

const BREAK = <wbr />

/** A host name or an address that is too long for its place breaks between its labels, rather than inside a word. */
function breakable(text: string): ReactNode[] {
  if (text.length > LONGEST_NAME || !LONG_WORD.test(text)) return [text]
  return text.split(LABELS).flatMap((label, index) => (index === 0 ? [label] : [BREAK, label]))
}
