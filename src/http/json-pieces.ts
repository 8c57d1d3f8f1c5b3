/** Long JSON answers in pieces: as a whole one would keep this thread, and take six times its octets. */
import { JSON_TYPE, type LongAnswer } from './answer.ts'

/** Characters of a text that are written at once: escaped, they may be six times as many. */
const SLICE = 16 * 1024

export function longJson(value: object): LongAnswer {
  return { type: JSON_TYPE, pieces: jsonPieces(value) }
}

/** A value that is JSON already. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** `value`: as JSON has it, with nothing undefined in it. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (typeof value === 'string') yield* textPieces(value)
  else if (value instanceof JsonText) yield value.text
  else if (Array.isArray(value)) yield* arrayPieces(value)
  else if (typeof value === 'object' && value !== null) yield* objectPieces(value)
  else yield JSON.stringify(value)
}

function* objectPieces(value: object): Generator<string> {
  let before = '{'
  for (const [name, each] of Object.entries(value)) {
    yield `${before}${JSON.stringify(name)}:`
    before = ','
    yield* jsonPieces(each)
  }
  yield before === '{' ? '{}' : '}'
}

function* arrayPieces(items: readonly unknown[]): Generator<string> {
  let before = '['
  for (const item of items) {
    yield before
    before = ','
    yield* jsonPieces(item)
  }
  yield items.length === 0 ? '[]' : ']'
}

function* textPieces(text: string): Generator<string> {
  if (text.length <= SLICE) return yield JSON.stringify(text)
  yield '"'
  let end: number
  for (let start = 0; start < text.length; start = end) {
    end = start + SLICE
    // Not between the halves of a surrogate pair.
    if (text.charCodeAt(end - 1) >>> 10 === 0x36) end++
    yield JSON.stringify(text.slice(start, end)).slice(1, -1)
  }
  yield '"'
}
