/** New inputs from known ones. */
import type { Random } from '../harness/random.ts'

/** Octets of an input. What grows faster than its input shows at this size. */
export const MAX = 64 * 1024
/** Octets of most inputs: many small ones find more than a few large ones. */
const USUAL = 2_048

type Mutation = (input: Buffer, random: Random, pieces: Pieces) => Buffer

/** What mutations may put in. */
export interface Pieces {
  tokens: readonly Buffer[]
  corpus: readonly Buffer[]
}

const put = (input: Buffer, at: number, end: number, piece: Buffer): Buffer =>
  Buffer.concat([input.subarray(0, at), piece, input.subarray(end)])

function range(input: Buffer, random: Random): [from: number, to: number] {
  const from = random.int(0, input.length)
  const longest = random.chance(0.8) ? 16 : input.length
  return [from, Math.min(input.length, from + random.int(0, longest))]
}

function repeated(piece: Buffer, times: number): Buffer {
  const most = Math.max(1, Math.floor(MAX / Math.max(1, piece.length)))
  return Buffer.concat(Array.from({ length: Math.min(times, most) }, () => piece))
}

const insertToken: Mutation = (input, random, { tokens }) => {
  const at = random.int(0, input.length)
  return put(input, at, at, random.pick(tokens))
}

const replaceByToken: Mutation = (input, random, { tokens }) =>
  put(input, ...range(input, random), random.pick(tokens))

const repeatToken: Mutation = (input, random, { tokens }) => {
  const at = random.int(0, input.length)
  return put(input, at, at, repeated(random.pick(tokens), random.pick([2, 3, 10, 100, 1_000, 10_000])))
}

const repeatRange: Mutation = (input, random) => {
  const [from, to] = range(input, random)
  return put(input, to, to, repeated(input.subarray(from, to), random.pick([1, 2, 10, 100, 5_000])))
}

const removeRange: Mutation = (input, random) => put(input, ...range(input, random), Buffer.alloc(0))

const changeOctets: Mutation = (input, random) => {
  const changed = Buffer.from(input)
  for (let left = random.int(1, 4); left > 0 && changed.length > 0; left--) {
    changed[random.int(0, changed.length - 1)] = random.int(0, 255)
  }
  return changed
}

const insertOctets: Mutation = (input, random) => {
  const at = random.int(0, input.length)
  return put(input, at, at, Buffer.from(Array.from({ length: random.int(1, 6) }, () => random.int(0, 255))))
}

const moveRange: Mutation = (input, random) => {
  const [from, to] = range(input, random)
  const without = put(input, from, to, Buffer.alloc(0))
  const at = random.int(0, without.length)
  return put(without, at, at, input.subarray(from, to))
}

const splice: Mutation = (input, random, { corpus }) => {
  const other = random.pick(corpus)
  const [from, to] = range(other, random)
  return put(input, ...range(input, random), other.subarray(from, random.chance(0.5) ? to : other.length))
}

const MUTATIONS: readonly (readonly [Mutation, number])[] = [
  [insertToken, 5],
  [replaceByToken, 4],
  [changeOctets, 3],
  [insertOctets, 2],
  [removeRange, 3],
  [repeatRange, 2],
  [moveRange, 2],
  [splice, 3],
  [repeatToken, 1],
]

/** One input from the corpus, changed once or several times. */
export function mutant(random: Random, pieces: Pieces): Buffer {
  let input = random.pick(pieces.corpus)
  for (let left = random.pick([1, 1, 2, 3, 6]); left > 0; left--) {
    input = random.weighted(MUTATIONS)(input, random, pieces)
  }
  return input.subarray(0, random.chance(0.95) ? USUAL : MAX)
}
