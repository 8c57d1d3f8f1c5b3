/** Where a text stops being JSON (RFC 8259), for the error message: JSON.parse does not always say. */
import { clip } from '../fault.ts'

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const LITERAL = /true|false|null/y
const SPACE = /[ \t\n\r]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** What may come next. `first` stands just behind an opening bracket, where the closing one is allowed too. */
type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'comma' | 'end'

/** E.g. `unexpected '}' at line 3, column 7`; null when nothing is wrong. Takes time linear in the text, whatever its depth. */
export function jsonFault(text: string): string | null {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  let at = 0
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    if (!pattern.test(text)) return false
    at = pattern.lastIndex
    return true
  }
  const afterValue = (): Expected => (open.length === 0 ? 'end' : 'comma')

  for (;;) {
    skip(SPACE)
    const named: boolean = expected === 'name' || expected === 'name or }'
    const char = text[at]
    if (expected === 'end') return char === undefined ? null : place(text, at)
    if (char === undefined) return place(text, at)

    if (expected === 'colon') {
      if (char !== ':') return place(text, at)
      at++
      expected = 'value'
    } else if (expected === 'comma') {
      const top = open.at(-1)
      at++
      if (char === ',') expected = top === '{' ? 'name' : 'value'
      else if ((char === '}' && top === '{') || (char === ']' && top === '[')) {
        open.pop()
        expected = afterValue()
      } else return place(text, at - 1)
    } else if ((char === '}' && expected === 'name or }') || (char === ']' && expected === 'value or ]')) {
      at++
      open.pop()
      expected = afterValue()
    } else if (char === '"') {
      at++
      while (text[at] !== '"') {
        if (skip(ESCAPE)) continue
        // RFC 8259 7: control characters must be escaped. The comparison is false past the end.
        if (text[at] === '\\' || !(text.charCodeAt(at) >= 0x20)) return place(text, at)
        at++
      }
      at++
      expected = named ? 'colon' : afterValue()
    } else if (named) {
      return place(text, at)
    } else if (char === '{' || char === '[') {
      at++
      open.push(char)
      expected = char === '{' ? 'name or }' : 'value or ]'
    } else if (skip(NUMBER) || skip(LITERAL)) {
      expected = afterValue()
    } else return place(text, at)
  }
}

function place(text: string, at: number): string {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  const column = at - before.lastIndexOf('\n')
  const where = `at line ${line}, column ${column}`
  if (at >= text.length) return `unexpected end ${where}`
  return `unexpected ${shown(String.fromCodePoint(text.codePointAt(at) ?? 0))} ${where}`
}

/** A character that can be seen, quoted; any other as its code point. */
function shown(char: string): string {
  if (/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(char)) return `'${clip(char)}'`
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
