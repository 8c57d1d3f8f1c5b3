/**
 * What a piece of work costs, without a clock: how often each block of the source ran, and how many characters and octets the
 * built-in functions that it called had to read or copy. For tests that double an input and want the cost to double.
 */
import { type Profiler, Session } from 'node:inspector'
import { setFlagsFromString } from 'node:v8'

export interface Work {
  /** Entries into blocks of the source (functions, branches, turns of loops). */
  steps: number
  /** Characters, octets and elements that built-in functions read or copied. */
  handled: number
}

// Begun before the functions that are measured run for the first time: what is compiled earlier has no blocks that are counted.
// Code that is thrown away for not having run for a while would take its counts along.
setFlagsFromString('--no-flush-bytecode')
const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/** Entries since the last call. */
function takeSteps(sources: readonly string[]): number {
  let scripts: Profiler.ScriptCoverage[] = []
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error
    scripts = result
  })
  return scripts
    .filter(({ url }) => sources.some((source) => url.includes(source)))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
    .reduce((sum, { count }) => sum + count, 0)
}

/** @param sources parts of the URLs of the files whose steps count, e.g. `/src/mail/` */
export function measureWork(sources: string | readonly string[], work: () => unknown): Work {
  const counted = typeof sources === 'string' ? [sources] : sources
  takeSteps(counted)
  const meter = meterBuiltIns()
  try {
    work()
  } finally {
    meter.stop()
  }
  return { steps: takeSteps(counted), handled: meter.handled() }
}

type Method = (this: never, ...args: never[]) => unknown

/** How much one call handles. */
type Cost = (self: Sized, args: unknown[], result: unknown) => number
interface Sized {
  length: number
}

const whole: Cost = (self) => self.length
const lengthOf = (value: unknown) => (value as Sized | null | undefined)?.length ?? 0
/** A search costs what lies between its start and what it finds. */
const search: Cost = (self, [needle, from], result) =>
  result === -1 ? self.length - start(from) : Number(result) - start(from) + lengthOf(needle)
const searchBack: Cost = (self, [needle, from], result) =>
  Math.min(self.length, from === undefined ? self.length : Number(from)) -
  Math.max(0, Number(result)) +
  lengthOf(needle)
const contains: Cost = (self, args) => {
  const at = String.prototype.indexOf.call(self as unknown as string, String(args[0]), start(args[1]))
  return search(self, args, at)
}
const made: Cost = (_self, _args, result) => lengthOf(result)
const elements: Cost = (self, [needle]) => {
  for (let at = 0; at < self.length; at++) if ((self as ArrayLike<unknown>)[at] === needle) return at + 1
  return self.length
}

function start(from: unknown): number {
  return typeof from === 'number' ? from : 0
}

/** From the beginning of the text; a sticky expression, as splitting uses, looks at one place. */
const exec: Cost = (self, [text], result) => {
  const found = result as RegExpExecArray | null
  if (found !== null) return found.index + found[0].length
  return (self as unknown as RegExp).sticky ? 1 : lengthOf(text)
}

const COSTS: [prototype: object, costs: Record<string, Cost>][] = [
  [
    String.prototype,
    {
      indexOf: search,
      lastIndexOf: searchBack,
      replace: whole,
      replaceAll: whole,
      split: whole,
      slice: made,
      substring: made,
      match: whole,
      matchAll: whole,
      trim: whole,
      trimStart: whole,
      trimEnd: whole,
      toLowerCase: whole,
      toUpperCase: whole,
      toWellFormed: whole,
      isWellFormed: whole,
      padStart: made,
      includes: contains,
    },
  ],
  [
    Array.prototype,
    {
      includes: elements,
      indexOf: elements,
      concat: made,
      slice: made,
      join: made,
      filter: whole,
      map: whole,
      shift: whole,
      unshift: whole,
      splice: whole,
    },
  ],
  [
    Buffer.prototype,
    {
      toString: made,
      write: (_self, [text]) => lengthOf(text),
      copy: (_self, _args, result) => Number(result),
      equals: whole,
      fill: whole,
      indexOf: search,
    },
  ],
  [RegExp.prototype, { exec, test: (_self, [text]) => lengthOf(text) }],
  [Buffer, { from: made, concat: made, byteLength: (_self, [text]) => lengthOf(text) }],
]

function meterBuiltIns(): { handled(): number; stop(): void } {
  const restore: (() => void)[] = []
  const read = new Set<unknown>()
  let handled = 0
  let inside = false
  const meter = (prototype: object, name: string, cost: Cost) => {
    const methods = prototype as Record<string, Method>
    const original = methods[name]!
    restore.push(() => {
      methods[name] = original
    })
    methods[name] = function (this: never, ...args: never[]) {
      const from = (this as { lastIndex?: number } | undefined)?.lastIndex ?? 0
      const result = original.apply(this, args)
      // What one of them does by calling another counts once.
      if (inside) return result
      inside = true
      handled += Math.max(0, cost(this, args, result) - from)
      // What was put together piece by piece is copied as a whole when it is first read.
      if (prototype === String.prototype && !read.has(this)) {
        read.add(this)
        handled += lengthOf(this)
      }
      inside = false
      return result
    }
  }
  for (const [prototype, costs] of COSTS) {
    for (const [name, cost] of Object.entries(costs)) meter(prototype, name, cost)
  }
  return {
    handled: () => handled,
    stop: () => {
      for (const undo of restore) undo()
    },
  }
}
