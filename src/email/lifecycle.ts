/**
 * Everything that may happen to a recipient, and what becomes of it: the one place that decides it, for both stores. Pure: no clock, no
 * chance, no database.
 */
import type { EventDetail, EventType, NewEvent } from './event.ts'
import type { FinalState, HeldFor, RecipientState, Suspicion } from './recipient.ts'

/** What a decision rests on, and what it may change. */
export interface Facts {
  state: RecipientState
  dueAt: number | null
  /** Those that count. */
  attempts: number
  uncertain: boolean
  preferredServer: string | null
  /** Unix ms: since when what is not the mail's fault keeps it waiting; 0: the operator wants it tried all the same. */
  postponedSince: number | null
  heldFor: HeldFor | null
  suspicion: Suspicion
  cancelRequested: boolean
  server: string | null
  lastCode: number | null
  lastMessage: string | null
}

export type OutcomeKind =
  | 'delivered'
  | 'bounced'
  | 'failed'
  | 'suppressed'
  | 'deferred'
  | 'uncertain'
  | 'postponed'
  | 'released'

export interface Outcome {
  kind: OutcomeKind
  code?: number
  enhancedCode?: string
  message: string
  /** The server whose word it is. */
  server?: string
  deadAddress?: boolean
  suspicion?: Suspicion
}

export interface Attempted {
  kind: 'attempted'
  at: number
  outcome: Outcome
  /** Of the whole attempt. */
  server: string | null
  tls: string | null
  /** Nothing was asked (the path is closed, or no host was to be asked yet): no attempt row, and what is known of answers stays. */
  untried?: boolean
  /** It waits for its path to be clear. */
  heldFor?: 'path'
  /** When a counted attempt comes again; null: the schedule is at its end. For the attempt that this one makes. */
  retryAt: number | null
  /** When what is postponed comes again, and for how long (ms) that may go on. */
  again: number
  patience: number
}

export type Happening =
  | { kind: 'claimed'; at: number; suppressed: string | null }
  | { kind: 'damaged'; at: number; message: string }
  | Attempted
  | { kind: 'given-back'; at: number; dueAt: number; heldFor: HeldFor | null; message: string }
  | { kind: 'node-lost'; at: number; dueAt: number }
  | { kind: 'cancel'; at: number }
  | { kind: 'retry'; at: number; named: boolean; paused: boolean; scheduled: boolean }
  | { kind: 'hold-released'; at: number }
  | { kind: 'quarantine'; at: number; message: string }
  | { kind: 'suspect'; suspicion: 1 | 2 }
  | { kind: 'quarantine-released'; at: number }
  | {
      kind: 'returned'
      at: number
      report: 'bounced' | 'delayed' | 'delivered'
      detail: EventDetail
      deadAddress: boolean
    }
  | { kind: 'complained' | 'opened' | 'clicked' | 'unsubscribed'; at: number; detail: EventDetail }

export interface Decision {
  /** What changes of the facts; null: nothing but the events. */
  change: Partial<Facts> | null
  events: NewEvent[]
  suppress: { reason: string } | null
  /** An attempt row names it. */
  tried?: boolean
  /** Instead of all this, where its row says that it is to be canceled: the one thing others may change under a lease. */
  ifCanceled?: Decision
  /** Why `retry` left it. */
  left?: 'held' | 'scheduled' | 'paused'
}

/** A report about one recipient of an email. */
export interface Happened {
  emailId: string
  position: number
  happening: Extract<Happening, { kind: 'returned' | 'complained' | 'opened' | 'clicked' | 'unsubscribed' }>
}

/** Null: it cannot happen in this state, or has no effect. */
export function decide(before: Facts, happening: Happening): Decision | null {
  switch (happening.kind) {
    case 'claimed':
      if (before.state !== 'waiting') return null
      if (happening.suppressed === null) return changed({ state: 'sending', dueAt: null, heldFor: null })
      return ended('suppressed', happening.at, notSent(happening.suppressed))
    case 'damaged':
      return before.state === 'waiting' ? ended('failed', happening.at, happening.message) : null
    case 'attempted':
      return before.state === 'sending' ? attempted(before, happening) : null
    case 'given-back': {
      if (before.state !== 'sending') return null
      const { at, dueAt, heldFor, message } = happening
      return again({ dueAt, heldFor, lastMessage: message }, [], at, message)
    }
    case 'node-lost': {
      if (before.state !== 'sending') return null
      const suspicion = before.suspicion === 0 ? 1 : before.suspicion
      return again({ dueAt: happening.dueAt, suspicion }, [], happening.at)
    }
    case 'cancel':
      if (before.state === 'waiting' || before.state === 'quarantined') return canceled(happening.at)
      return before.state === 'sending' && !before.cancelRequested ? changed({ cancelRequested: true }) : null
    case 'retry':
      return retried(before, happening)
    case 'hold-released':
      if (before.state !== 'waiting' || before.heldFor === null) return null
      return changed({ dueAt: happening.at, heldFor: null })
    case 'quarantine': {
      if (before.state !== 'waiting' && before.state !== 'sending') return null
      const { at, message } = happening
      const events: NewEvent[] = [{ type: 'delivery_delayed', at, detail: { message } }]
      const change = { ...LEFT_QUEUE, state: 'quarantined', suspicion: 2, lastMessage: message } as const
      return { change, events, suppress: null, ifCanceled: canceled(at, message) }
    }
    case 'suspect': {
      const live = before.state === 'waiting' || before.state === 'sending'
      return live && before.suspicion < happening.suspicion
        ? changed({ suspicion: happening.suspicion })
        : null
    }
    case 'quarantine-released': {
      if (before.state !== 'quarantined') return null
      const { at } = happening
      const message = 'Released from quarantine by the operator'
      const change = { state: 'waiting', dueAt: at, suspicion: 1, lastMessage: message } as const
      return { change, events: [{ type: 'queued', at, detail: { message } }], suppress: null }
    }
    case 'returned':
      return returned(before, happening)
    case 'complained':
    case 'opened':
    case 'clicked':
    case 'unsubscribed':
      return reacted(before, happening)
  }
}

const LEFT_QUEUE = { dueAt: null, heldFor: null, cancelRequested: false } as const

export function notSent(reason: string): string {
  return `Not sent: the address is on the suppression list (${reason})`
}

function attempted(before: Facts, happening: Attempted): Decision {
  const { at, outcome, server, retryAt, untried = false } = happening
  const { kind, code = null, message } = outcome
  const asked = outcome.server ?? server
  const attempt = before.attempts + 1
  const detail = detailOf(happening)
  const seen = { server, lastCode: code }
  switch (kind) {
    case 'delivered':
    case 'bounced':
    case 'failed':
    case 'suppressed': {
      const end = ended(
        kind,
        at,
        message,
        { ...detail, attempt },
        { ...seen, attempts: attempt, uncertain: false },
      )
      return {
        ...end,
        tried: true,
        suppress: outcome.deadAddress ? { reason: message || 'refused by its server' } : null,
      }
    }
    case 'released': {
      const suspicion = worse(before.suspicion, outcome.suspicion ?? 0)
      return again({ dueAt: at, suspicion, ...(message !== '' && { lastMessage: message }) }, [], at, message)
    }
    case 'deferred':
    case 'uncertain': {
      if (retryAt === null) {
        const given = `Gave up after ${attempt} attempts. The last one: ${message}`
        const change = { ...seen, attempts: attempt, uncertain: kind === 'uncertain' }
        return { ...ended('failed', at, given, { ...detail, attempt }, change), tried: true }
      }
      const change: Partial<Facts> = {
        ...seen,
        dueAt: retryAt,
        attempts: attempt,
        uncertain: kind === 'uncertain' || stillUncertain(before, asked),
        // Greylisting remembers who asked whom, and after a lost answer only the same server can know the message.
        preferredServer: asked ?? before.preferredServer,
        suspicion: outcome.suspicion ?? 0,
        postponedSince: null,
        lastMessage: message,
      }
      const events: NewEvent[] = [
        { type: 'delivery_delayed', at, detail: { ...detail, attempt, nextAttemptAt: retryAt } },
      ]
      return { ...again(change, events, at, message), tried: true }
    }
    case 'postponed':
      return { ...postponed(before, happening, asked, detail), tried: !untried }
  }
}

/** Not the mail's fault: no attempt is spent. It has an end as well. */
function postponed(before: Facts, happening: Attempted, asked: string | null, detail: EventDetail): Decision {
  const { at, outcome, server, again: dueAt, patience, untried = false, heldFor = null } = happening
  const { code = null, message } = outcome
  const postponedSince = before.postponedSince || at
  // What was not tried tells nothing new, and nothing about suspicion.
  const seen = untried
    ? { postponedSince }
    : {
        postponedSince,
        server,
        lastCode: code,
        uncertain: stillUncertain(before, asked),
        preferredServer: asked ?? before.preferredServer,
        suspicion: outcome.suspicion ?? 0,
      }
  if (at - postponedSince >= patience) {
    const given = `Gave up after ${Math.round((at - postponedSince) / 1_000)} s in which it could not be tried: ${message}`
    return ended('failed', at, given, detail, { ...seen, uncertain: false })
  }
  const change = { ...seen, dueAt, heldFor, lastMessage: message }
  // Told once: how it goes on is in the queue.
  const tell = before.postponedSince === null
  const events: NewEvent[] = tell
    ? [{ type: 'delivery_delayed', at, detail: { ...detail, nextAttemptAt: dueAt } }]
    : []
  return again(change, events, at, message)
}

function retried(
  before: Facts,
  { at, named, paused, scheduled }: Extract<Happening, { kind: 'retry' }>,
): Decision | null {
  if (before.state !== 'waiting' || before.dueAt === null || before.dueAt <= at) return null
  const nothing = { change: null, events: [], suppress: null }
  if (paused) return { ...nothing, left: 'paused' }
  if (before.heldFor === 'domain') return { ...nothing, left: 'held' }
  if (scheduled && !named) return { ...nothing, left: 'scheduled' }
  return changed({ dueAt: at, heldFor: null, postponedSince: 0 })
}

/** A report about a message that had left: it comes whenever it comes. */
function returned(before: Facts, happening: Extract<Happening, { kind: 'returned' }>): Decision | null {
  const { at, report, detail, deadAddress } = happening
  const { state, uncertain } = before
  const reason = detail.message || 'returned by its server'
  const suppress = report === 'bounced' && deadAddress ? { reason } : null
  const tell = (type: EventType, change: Partial<Facts> | null): Decision => {
    return { change, events: [{ type, at, detail }], suppress }
  }
  switch (report) {
    case 'bounced': {
      if (state === 'bounced') return null
      const ends = state === 'delivered' || state === 'failed' || state === 'waiting'
      return tell('bounced', ends ? { ...LEFT_QUEUE, state: 'bounced', lastMessage: reason } : null)
    }
    case 'delayed':
      return state === 'bounced' || state === 'failed' || state === 'suppressed' || state === 'canceled'
        ? null
        : tell('delivery_delayed', null)
    case 'delivered': {
      if (state === 'suppressed') return null
      const proves = state === 'failed' || (state === 'waiting' && uncertain)
      return tell('delivered', proves ? { ...LEFT_QUEUE, state: 'delivered', uncertain: false } : null)
    }
  }
}

function reacted(
  before: Facts,
  { kind, at, detail }: Extract<Happening, { kind: 'complained' | 'opened' | 'clicked' | 'unsubscribed' }>,
): Decision | null {
  const { state, uncertain } = before
  const refuses = kind === 'complained' || kind === 'unsubscribed'
  if (state === 'suppressed' && !refuses) return null
  const proves = state === 'waiting' && uncertain && !refuses
  const change = proves ? ({ ...LEFT_QUEUE, state: 'delivered', uncertain: false } as const) : null
  return {
    change,
    events: [{ type: kind, at, detail }],
    suppress: refuses ? { reason: kind } : null,
  }
}

function changed(change: Partial<Facts>): Decision {
  return { change, events: [], suppress: null }
}

function ended(
  state: FinalState,
  at: number,
  message: string,
  detail: EventDetail = {},
  more: Partial<Facts> = {},
): Decision {
  const change = { ...more, preferredServer: null, ...LEFT_QUEUE, state, lastMessage: message }
  return { change, events: [{ type: state, at, detail: { ...detail, message } }], suppress: null }
}

function canceled(at: number, message?: string): Decision {
  const detail = message === undefined ? {} : { message }
  const change: Partial<Facts> = {
    ...LEFT_QUEUE,
    state: 'canceled',
    ...(message && { lastMessage: message }),
  }
  return { change, events: [{ type: 'canceled', at, detail }], suppress: null }
}

/** Back to waiting; what was to be canceled does not wait for another attempt. */
function again(change: Partial<Facts>, events: NewEvent[], at: number, message?: string): Decision {
  return {
    change: { heldFor: null, ...change, state: 'waiting' },
    events,
    suppress: null,
    ifCanceled: canceled(at, message),
  }
}

function worse(a: Suspicion, b: Suspicion): Suspicion {
  return a > b ? a : b
}

/** Only another server that was asked instead, because that one serves the domain no longer, ends the doubt about a lost answer. */
function stillUncertain({ uncertain, preferredServer }: Facts, asked: string | null): boolean {
  if (!uncertain || preferredServer === null) return false
  return asked === null || hostOf(asked) === hostOf(preferredServer)
}

function hostOf(server: string): string {
  return server.split(' ', 1)[0]!
}

function detailOf({ outcome, server, tls }: Attempted): EventDetail {
  const { code, enhancedCode, message, server: said = server } = outcome
  const detail: EventDetail = { message }
  if (code !== undefined) detail.code = code
  if (enhancedCode !== undefined) detail.enhancedCode = enhancedCode
  if (said !== null) detail.server = said
  if (tls !== null) detail.tls = tls
  return detail
}
