/**
 * Why a message was sent again after it had arrived. Only one window allows it (the design's second promise): between the final dot and
 * the record of its answer. A reason is taken for granted only where the fault log, or the sink itself, shows it.
 */
import type { Fault, FaultKind, FaultLog, Life } from './fault-log.ts'
import type { Seen } from './ledger.ts'
import { lastNumber } from './source-addresses.ts'

export const CAUSES = [
  /** The sink took the message and, by one of its faults, wrote no reply that could be read. */
  'answer-withheld',
  /** The reply was written, and a reset may have destroyed it on its way. */
  'answer-reset',
  /** Killed between the dot and the sink's reply. */
  'killed-before-answer',
  /** Killed between the reply and its record. */
  'killed-before-record',
  /** Killed while no record could be written: disk, database or network were away. */
  'killed-unrecordable',
  /** The delivery thread that had sent the dot died before it could tell the answer. */
  'thread-died',
  /** Stopped with SIGSTOP beyond the node timeout before the record: another node took over. */
  'paused-before-record',
  /** Cut off from the database beyond the node timeout before the record: another node took over. */
  'cut-off-before-record',
  /** The machine lost the source address before the reply could be read. */
  'source-died',
  'unexplained',
] as const
export type Cause = (typeof CAUSES)[number]

/** A record takes milliseconds; on a machine that is busy with everything else, this long (ms) at most. */
const RECORD_MS = 5_000

/** What a delivery thread knows, the main thread knows after this long (ms) at most. */
const TELL_MS = 1_000

/** The slowest of the mail server's replies (ms): by then it has seen whether anybody is left to read it. */
const SLOW_MS = 3_000

/** A dot on its way when its sender died is read by a busy mail server this long (ms) afterwards at most. */
const UNREAD_MS = 1_000

const UNRECORDABLE: readonly FaultKind[] = [
  'disk-full',
  'io-error',
  'slow-disk',
  'database-smart',
  'database-fast',
  'database-immediate',
  'database-kill',
  'database-sessions',
  'database-connections',
  'cut',
  'pause',
  'pause-long',
]

/** What keeps one node's heartbeat away and leaves the others theirs. */
const SILENCING: readonly FaultKind[] = ['cut', 'pause', 'pause-long']

export interface Explained {
  cause: Cause
  /** Ms from the first arrival's dot to what happened; null where there is nothing to measure. */
  age: number | null
}

/** `lives`: names by the numbers in `Seen`. `later` is the arrival that came too much. */
export function explain(earlier: Seen, later: Seen, lives: readonly string[], log: FaultLog): Explained {
  const { ending, dotAt, answeredAt } = earlier
  if (ending === 'withheld') return { cause: 'answer-withheld', age: null }
  if (ending === 'answered-reset') return { cause: 'answer-reset', age: null }
  const name = lives[earlier.life]
  const life = name === undefined ? undefined : log.lives.get(name)
  if (life === undefined) return { cause: 'unexplained', age: null }

  // A delivery thread's death leaves its process alive: the retry may come from the same life. It costs what the main thread had not
  // been told yet, which takes no disk.
  const told = Math.min(later.dotAt, answeredAt === null ? dotAt + SLOW_MS : answeredAt + TELL_MS)
  const deaths = log.during(dotAt - UNREAD_MS, told, ['thread'], life.node)
  const death = deaths.find(
    ({ detail, from }) => detail.startsWith(`${name} `) && detail.includes('delivery-thread') && from <= told,
  )
  if (death) return { cause: 'thread-died', age: Math.max(0, death.from - dotAt) }

  const otherLife = later.life !== earlier.life
  // Who is dead sends nothing: what the mail server reads from it later had been sent before.
  if (otherLife && life.until >= dotAt - UNREAD_MS && life.until <= later.dotAt) {
    const age = Math.max(0, life.until - dotAt)
    if (answeredAt === null) return { cause: 'killed-before-answer', age }
    // Who stops in order writes down what it knows first.
    const inOrder = life.end === '0' && life.until - answeredAt > TELL_MS
    if (life.until - answeredAt <= RECORD_MS && !inOrder) return { cause: 'killed-before-record', age }
    const troubles = log.during(answeredAt, life.until, UNRECORDABLE, life.node)
    if (coversMost(troubles, answeredAt, life.until)) return { cause: 'killed-unrecordable', age }
  }
  // Whoever sent it again: a successor of the same name may be the one that claims what others had taken over.
  const silence = otherLife ? tookOver(earlier, later, life, log) : null
  if (silence) {
    const cause = silence.kind === 'cut' ? 'cut-off-before-record' : 'paused-before-record'
    return { cause, age: Math.max(0, silence.from - dotAt) }
  }
  if (sourceDied(earlier, log)) return { cause: 'source-died', age: null }
  return { cause: 'unexplained', age: null }
}

function sourceDied({ source, dotAt, answeredAt }: Seen, log: FaultLog): boolean {
  const deaths = log.during(dotAt - UNREAD_MS, (answeredAt ?? dotAt + SLOW_MS) + TELL_MS, ['source'])
  return deaths.some(({ detail }) => detail.split(' and ').some((address) => lastNumber(address) === source))
}

/**
 * The silence because of which another node took over: it kept the sender from the record, and it had lasted so long before the
 * second dot that the others could give the sender up (its last heartbeat may be a third of the node timeout older). Null when there
 * was none.
 */
function tookOver(earlier: Seen, later: Seen, life: Life, log: FaultLog): Fault | null {
  const { nodeTimeout } = log
  if (nodeTimeout === null) return null
  let recordedBy = (earlier.answeredAt ?? later.dotAt) + RECORD_MS
  const troubles = log.during(earlier.dotAt - 100, later.dotAt, UNRECORDABLE, life.node)
  for (const fault of troubles.toSorted((a, b) => a.from - b.from)) {
    // There was time enough to write the record.
    if (fault.from > recordedBy) return null
    const lasted = Math.min(fault.until, later.dotAt) - fault.from
    if (SILENCING.includes(fault.kind) && lasted >= (nodeTimeout * 2) / 3) return fault
    recordedBy = Math.max(recordedBy, fault.until + RECORD_MS)
  }
  return null
}

/** Between the faults, and before the first and after the last, there was no time to write a record. */
function coversMost(
  faults: readonly { from: number; until: number }[],
  from: number,
  until: number,
): boolean {
  let at = from
  for (const fault of faults.toSorted((a, b) => a.from - b.from)) {
    if (fault.from - at > RECORD_MS) return false
    at = Math.max(at, fault.until)
  }
  return faults.length > 0 && until - at <= RECORD_MS
}

export interface DoubledMail {
  recipient: string
  cause: Cause
  age: number | null
  earlier: string
  later: string
  /** When the second dot came, on the clock of the fault log, and ms between the two. */
  at: number
  apart: number
  ending: string
}

/** A delivery thread of that node died after the dot and before the second one: with it went whom it had been talking to. */
function threadDied(earlier: Seen, later: Seen, lives: readonly string[], log: FaultLog): boolean {
  const life = log.lives.get(lives[earlier.life] ?? '')
  const deaths = log.during(earlier.dotAt - UNREAD_MS, later.dotAt, ['thread'], life?.node)
  return deaths.some(({ detail }) => detail.includes('delivery-thread'))
}

/** Doubles shown one by one. */
const SHOWN = 20

export class Doubles {
  readonly counts: Record<Cause, number> = Object.fromEntries(CAUSES.map((cause) => [cause, 0])) as Record<
    Cause,
    number
  >
  /** Largest age by cause. */
  readonly oldest: Partial<Record<Cause, number>> = {}
  readonly unexplained: DoubledMail[] = []
  /** The second arrival was not the same octets as the first. */
  readonly different: DoubledMail[] = []
  /** A lost answer, and the next attempt went to another server. */
  readonly elsewhere: DoubledMail[] = []

  add(recipient: string, seen: readonly Seen[], lives: readonly string[], log: FaultLog): void {
    for (let index = 1; index < seen.length; index++) {
      const earlier = seen[index - 1]!
      const later = seen[index]!
      const { cause, age } = explain(earlier, later, lives, log)
      this.counts[cause]++
      if (age !== null) this.oldest[cause] = Math.max(this.oldest[cause] ?? 0, Math.round(age))
      const doubled: DoubledMail = {
        recipient,
        cause,
        age,
        earlier: lives[earlier.life] ?? '',
        later: lives[later.life] ?? '',
        at: Math.round(later.dotAt),
        apart: Math.round(later.dotAt - earlier.dotAt),
        ending: earlier.ending,
      }
      if (cause === 'unexplained') this.#keep(this.unexplained, doubled)
      if (later.hash !== earlier.hash) this.#keep(this.different, doubled)
      // After a lost answer only the same server may be asked. What a death cost is not known to whoever comes after it.
      if (cause === 'answer-withheld' && later.life === earlier.life && later.server !== earlier.server) {
        if (!threadDied(earlier, later, lives, log)) this.#keep(this.elsewhere, doubled)
      }
    }
  }

  #keep(list: DoubledMail[], doubled: DoubledMail): void {
    if (list.length < SHOWN) list.push(doubled)
  }
}
