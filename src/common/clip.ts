/** The first `length` characters of a text, with a mark where it goes on. */
export function clip(text: string, length = 100): string {
  if (text.length <= length) return text
  // Half of a surrogate pair is no character.
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`
}
