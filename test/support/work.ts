/**
 * How much work a function does, without a clock and without a word about it in the code it measures: the blocks of code that run,
 * those of libraries included, as V8 counts them for coverage, and the characters and items that built-in functions read or copy.
 */
import { Session } from 'node:inspector'

export interface Work {
  /** Blocks of code executed: every turn of a loop, every call. */
  steps: number
  /** Characters and array items that built-in functions went over. */
  copied: number
}

interface Coverage {
  result: { url: string; functions: { ranges: { count: number }[] }[] }[]
}

/** Takes part in the cost of a call by what it was called on, with what, and what it gave. */
type Cost = (on: string, args: unknown[], result: unknown) => number

const whole: Cost = (on) => on.length
const both: Cost = (on, _, result) => on.length + String(result).length
const found: Cost = (on, [, from], result) =>
  ((result as number) < 0 ? on.length : (result as number)) - Math.min(Number(from ?? 0), on.length)

const STRING_COSTS: Record<string, Cost> = {
  slice: whole,
  substring: whole,
  trim: whole,
  trimStart: whole,
  trimEnd: whole,
  toLowerCase: whole,
  toWellFormed: whole,
  isWellFormed: whole,
  split: whole,
  includes: (on, [sought]) => on.length * Math.min(String(sought).length, 1000),
  indexOf: found,
  startsWith: whole,
  endsWith: whole,
  replace: both,
  replaceAll: both,
  repeat: (_, __, result) => String(result).length,
}
const ARRAY_COSTS: Record<string, (on: unknown[], args: unknown[], result: unknown) => number> = {
  push: (_, args) => args.length,
  join: (_, __, result) => String(result).length,
  filter: (on) => on.length,
  map: (on) => on.length,
  slice: (_, __, result) => (result as unknown[]).length,
  splice: (on) => on.length,
  shift: (on) => on.length,
  unshift: (on) => on.length,
}

/**
 * Measures `run`, which works on `input`. The first time that a string other than the input is read all of it counts, for it may
 * have been put together, and is then copied; after that, as of the input, what is taken out of it.
 */
export function workOf(input: string, run: () => void): Work {
  session ??= counting()
  let copied = 0
  const flat = new Set([input])
  const restore = [
    ...wrap(String.prototype, STRING_COSTS, (cost, on, args, result) => {
      const text = String(on)
      if (flat.has(text) && typeof result === 'string') copied += result.length
      else copied += cost(text, args, result)
      flat.add(text)
    }),
    ...wrap(Array.prototype, ARRAY_COSTS, (cost, on, args, result) => {
      copied += cost(on as unknown[], args, result)
    }),
    // Replacing and splitting call `exec` for each match, or for each place.
    ...wrap(RegExp.prototype, { exec: 0 }, (_, on, [text], result) => {
      const { global, sticky, lastIndex } = on as RegExp
      const match = result as RegExpExecArray | null
      if (match === null) copied += sticky ? 1 : String(text).length
      else copied += global || sticky ? lastIndex - match.index : String(text).length
    }),
  ]
  try {
    post(session, 'Profiler.takePreciseCoverage')
    run()
  } finally {
    for (const put of restore) put()
  }
  const coverage = post(session, 'Profiler.takePreciseCoverage') as Coverage
  let steps = 0
  for (const { url, functions } of coverage.result) {
    if (url === import.meta.url || url.startsWith('node:')) continue
    for (const { ranges } of functions) for (const { count } of ranges) steps += count
  }
  return { steps, copied }
}

let session: Session | undefined

function counting(): Session {
  const opened = new Session()
  opened.connect()
  post(opened, 'Profiler.enable')
  post(opened, 'Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return opened
}

function wrap<Costs extends Record<string, unknown>>(
  prototype: object,
  costs: Costs,
  pay: (cost: Costs[string], on: unknown, args: unknown[], result: unknown) => void,
): (() => void)[] {
  return Object.entries(costs).map(([name, cost]) => {
    const own = Object.getOwnPropertyDescriptor(prototype, name)!
    const original = own.value as (...args: unknown[]) => unknown
    Object.defineProperty(prototype, name, {
      ...own,
      value(this: unknown, ...args: unknown[]) {
        const result = Reflect.apply(original, this, args)
        pay(cost as Costs[string], this, args, result)
        return result
      },
    })
    return () => Object.defineProperty(prototype, name, own)
  })
}

function post(session: Session, method: string, parameters: object = {}): unknown {
  let answer: unknown
  // Without a connection to another process the answer comes before the call returns.
  session.post(method, parameters, (error: Error | null, result?: object) => {
    if (error) throw error
    answer = result
  })
  return answer
}
