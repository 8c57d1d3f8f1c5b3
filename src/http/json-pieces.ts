/** Long JSON answers in pieces. In one piece, an answer would block this thread, and take six times its octets. */
import { StringDecoder } from 'node:string_decoder'
import { release } from '../common/octets.ts'
import { JSON_TYPE, type LongAnswer } from './answer.ts'

/** Characters of a text that are written at once: escaping may multiply them by six. */
const SLICE = 16 * 1024

/** `own`: octets in `value` that are used nowhere else; their memory is freed as soon as the answer is complete. */
export function longJson(value: object, own: readonly Uint8Array[] = []): LongAnswer {
  return { type: JSON_TYPE, pieces: piecesOf(value, own) }
}

function* piecesOf(value: object, own: readonly Uint8Array[]): Generator<string> {
  try {
    yield* jsonPieces(value)
  } finally {
    for (const octets of own) release(octets)
  }
}

/** A value that is already serialized. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** `value`: a JSON value without undefined in it. Octets in it stand for a text in UTF-8. */
function* jsonPieces(value: unknown): Generator<string> {
  if (typeof value === 'string') yield* textPieces(value)
  else if (value instanceof Uint8Array) yield* octetPieces(value)
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

function* octetPieces(octets: Uint8Array): Generator<string> {
  const decoder = new StringDecoder('utf8')
  yield '"'
  for (let at = 0; at < octets.byteLength; at += SLICE) {
    yield JSON.stringify(decoder.write(octets.subarray(at, at + SLICE))).slice(1, -1)
  }
  yield `${JSON.stringify(decoder.end()).slice(1)}`
}

function* textPieces(text: string): Generator<string> {
  if (text.length <= SLICE) return yield JSON.stringify(text)
  yield '"'
  let end: number
  for (let start = 0; start < text.length; start = end) {
    end = start + SLICE
    // A slice never ends between the halves of a surrogate pair.
    if (text.charCodeAt(end - 1) >>> 10 === 0x36) end++
    yield JSON.stringify(text.slice(start, end)).slice(1, -1)
  }
  yield '"'
}
