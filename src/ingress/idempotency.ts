/** `Idempotency-Key`: its valid forms, and the equality of two requests. */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { Refusal } from '../intake/refusal.ts'
import type { Submission } from '../intake/submission.ts'

/** 1 to 256 printable ASCII characters: keys are stored in the database and shown to people. */
const KEY = /^[\x20-\x7e]{1,256}$/

/** The key of an idempotent request, with the name of its endpoint. */
export interface Idempotent {
  key: string
  endpoint: string
}

/** Null when the request has no key. Throws a Refusal for an invalid one. */
export function idempotentOf(headers: IncomingHttpHeaders, endpoint: string): Idempotent | null {
  const header = headers['idempotency-key']
  if (header === undefined) return null
  return { key: checkedKey(Array.isArray(header) ? header.join(', ') : header), endpoint }
}

/** Throws a Refusal for an invalid key. */
export function checkedKey(key: string): string {
  if (KEY.test(key)) return key
  throw new Refusal({
    code: 'idempotency_key_invalid',
    detail:
      'Idempotency keys, if present, must have between 1 and 256 characters, all of them printable ASCII',
  })
}

/** The submission with its idempotency. `same`: the part of a request that equal requests have in common. */
export async function withIdempotency(
  submission: Submission,
  idempotent: Idempotent,
  same: unknown,
): Promise<Submission> {
  return { ...submission, idempotency: await withFingerprint(idempotent, same) }
}

/** The idempotency of a submission, as the store keeps it. */
export async function withFingerprint(
  { key, endpoint }: Idempotent,
  same: unknown,
): Promise<{ key: string; fingerprint: string }> {
  return { key, fingerprint: await fingerprint(endpoint, same) }
}

/** Octets digested between two turns of the event loop: some milliseconds. */
const SLICE = 1_048_576
/** The fixed cost of a piece, in octets. */
const PIECE_COST = 64

/**
 * The fingerprint of a request, equal for equal requests: the SHA-256 of the endpoint's name and of everything in
 * `value`, which holds plain objects, arrays, strings, octets and other simple values. Takes time in proportion to
 * `value`, and takes turns for a long one.
 */
async function fingerprint(endpoint: string, value: unknown): Promise<string> {
  const hash = createHash('sha256')
  let waiting = 0
  for (const piece of pieces(value)) {
    // UTF-16 keeps any two strings apart, even strings with half of a surrogate pair.
    if (typeof piece === 'string') hash.update(piece, 'utf16le')
    else hash.update(piece)
    waiting += piece.length + PIECE_COST
    if (waiting < SLICE) continue
    waiting = 0
    await turn()
  }
  return `${endpoint} ${hash.digest('hex')}`
}

/** Each value preceded by its type and length, so that no two values have the same pieces. */
function* pieces(value: unknown): Generator<string | Uint8Array> {
  if (typeof value === 'string' || value instanceof Uint8Array) {
    yield `${typeof value === 'string' ? 's' : 'b'}${value.length}:`
    for (let start = 0; start < value.length; start += SLICE) {
      yield typeof value === 'string'
        ? value.slice(start, start + SLICE)
        : value.subarray(start, start + SLICE)
    }
  } else if (Array.isArray(value)) {
    yield `a${value.length}:`
    for (const item of value) yield* pieces(item)
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    yield `o${entries.length}:`
    for (const [name, item] of entries) {
      yield `${name.length}:${name}`
      yield* pieces(item)
    }
  } else yield `${String(value)};`
}
