/**
 * Text that somebody else has written: a subject, a name, the reply of a server. It is shown as it stands, in a place
 * of its own (`bdi`), and characters that show nothing, or change how others are shown, can be seen.
 */

/** Controls, and those of Unicode that turn the direction of text or have no width. */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g

/** Longer ones are of no use on a page. */
const LONGEST = 20_000

export function visible(text: string, longest = LONGEST): string {
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text
  return shown.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0)!
    // Pictures of control characters (U+2400) where there are some.
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    if (code === 0x7f) return '\u2421'
    return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
  })
}

export function UntrustedText({ children, empty = '' }: { children: string; empty?: string }) {
  return <bdi>{children === '' ? empty : visible(children)}</bdi>
}
