/**
 * Text that somebody else wrote, such as a subject, a name or a server's reply. It is isolated from the text
 * around it (`bdi`), and characters that are invisible or reorder text are made visible.
 */

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
  const text = children === '' ? empty : visible(children)
  // The place of an empty text is empty: a narrow table leaves out its line.
  return text === '' ? null : <bdi>{text}</bdi>
}
