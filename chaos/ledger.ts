/**
 * Everything the load was told and the sink saw, in a few dozen octets for each recipient, so that hours fit into memory. What a message
 * is made of follows from its number (mail.ts) and is not kept.
 */
import { now } from '../harness/clock.ts'
import type { Arrival, Ending, PermanentRefusal } from './arrival.ts'
import { Column } from './column.ts'
import { readAddress, recipientCount } from './mail.ts'
import { lastNumber } from './source-addresses.ts'

/** What the senders know about a message. */
const FATES = ['pending', 'accepted', 'refused', 'unknown'] as const
export type Fate = (typeof FATES)[number]

const ENDINGS: readonly Ending[] = ['answered', 'answered-reset', 'withheld', 'gone']

/** An arrival as it is kept for one recipient. */
export interface Seen {
  /** Which life of which node: index into `lives`. */
  life: number
  /** The last number of the source address. */
  source: number
  server: number
  dotAt: number
  answeredAt: number | null
  ending: Ending
  hash: number
}

const NONE = -1

export interface WrongMessage {
  recipients: string[]
  wrong: string[]
}

/** A scheduled message that arrived before its time. */
export interface Early {
  recipient: string
  /** When it was handed in, when it was to be sent, when it came: all on the clock of the run. */
  submittedAt: number
  dueAt: number
  dotAt: number
}

/** A time to be sent at may be told in whole seconds (ms). */
const DUE_TOLERANCE_MS = 1_000
/** Early arrivals that are kept; more prove nothing more. */
const EARLY_KEPT = 10_000

/** Wrong messages that are kept to be shown; all are counted. */
const SHOWN = 20

export class Ledger {
  readonly seed: number
  /** EHLO names seen, in order of appearance. */
  readonly lives: string[] = []
  readonly #lifeNumbers = new Map<string, number>()
  readonly #mails = { fate: new Column(Uint8Array), firstSlot: new Column(Uint32Array) }
  readonly #slots = {
    arrivals: new Column(Uint8Array),
    refused: new Column(Uint8Array),
    life: new Column(Uint16Array),
    source: new Column(Uint8Array),
    server: new Column(Uint8Array),
    ending: new Column(Uint8Array),
    dotAt: new Column(Float64Array),
    answeredAt: new Column(Float64Array),
    hash: new Column(Float64Array),
  }
  /** Second and later arrivals, by slot: few. */
  readonly #more = new Map<number, Seen[]>()
  /** Number of messages so far; their numbers are 0 to this less 1. */
  count = 0
  #slotCount = 0
  readonly fates: Record<Fate, number> = { pending: 0, accepted: 0, refused: 0, unknown: 0 }
  /** Recipients of accepted messages, and how many of them have arrived at least once. */
  acceptedRecipients = 0
  arrivedAccepted = 0
  /** Recipients that arrived at least once, and arrivals altogether. */
  arrivedOnce = 0
  arrivedAll = 0
  transactions = 0
  verified = 0
  /** Messages of which nobody knows. */
  strangers = 0
  wrongCount = 0
  readonly wrong: WrongMessage[] = []
  /** Sessions refused for good before a recipient was named, by server. */
  readonly sessionRefusals = new Map<number, number>()
  recipientRefusals = 0

  /** Of scheduled messages. */
  readonly #due = new Map<number, { submittedAt: number; dueAt: number }>()
  readonly early: Early[] = []
  /** When the refusal was read, by message: few. */
  readonly #refusedAt = new Map<number, number>()

  constructor(seed: number) {
    this.seed = seed
  }

  /** A new message; its number. */
  add(): number {
    const number = this.count++
    this.#mails.firstSlot.set(number, this.#slotCount)
    this.#slotCount += recipientCount(this.seed, number)
    this.fates.pending++
    return number
  }

  fate(number: number): Fate {
    return FATES[this.#mails.fate.get(number)]!
  }

  setFate(number: number, fate: Fate): void {
    if (fate === 'refused') this.#refusedAt.set(number, now())
    this.fates[this.fate(number)]--
    this.fates[fate]++
    this.#mails.fate.set(number, FATES.indexOf(fate))
    if (fate !== 'accepted') return
    for (const slot of this.slots(number)) {
      this.acceptedRecipients++
      if (this.#slots.arrivals.get(slot) > 0) this.arrivedAccepted++
    }
  }

  /** It is to be sent after `delay` ms, and not before. */
  schedule(number: number, delay: number): void {
    const submittedAt = now()
    this.#due.set(number, { submittedAt, dueAt: submittedAt + delay })
  }

  /** When its sender read that it was refused; null when it was not. */
  refusedAt(number: number): number | null {
    return this.#refusedAt.get(number) ?? null
  }

  /** The slots of a message, in the order of its recipients. */
  slots(number: number): number[] {
    const first = this.#mails.firstSlot.get(number)
    const end = number + 1 < this.count ? this.#mails.firstSlot.get(number + 1) : this.#slotCount
    return Array.from({ length: end - first }, (_, index) => first + index)
  }

  arrivals(slot: number): number {
    return this.#slots.arrivals.get(slot)
  }

  /** The sink refused this recipient for good at some time. */
  refused(slot: number): boolean {
    return this.#slots.refused.get(slot) > 0
  }

  /** Every arrival of a slot, in the order of their dots. */
  seen(slot: number): Seen[] {
    if (this.arrivals(slot) === 0) return []
    const { life, source, server, ending, dotAt, answeredAt, hash } = this.#slots
    const answered = answeredAt.get(slot)
    const first: Seen = {
      life: life.get(slot),
      source: source.get(slot),
      server: server.get(slot),
      ending: ENDINGS[ending.get(slot)]!,
      dotAt: dotAt.get(slot),
      answeredAt: answered === NONE ? null : answered,
      hash: hash.get(slot),
    }
    return [first, ...(this.#more.get(slot) ?? [])].sort((a, b) => a.dotAt - b.dotAt)
  }

  arrived(arrival: Arrival): void {
    this.transactions++
    if (arrival.verified) this.verified++
    if (arrival.wrong.length > 0) {
      this.wrongCount++
      if (this.wrong.length < SHOWN)
        this.wrong.push({ recipients: arrival.recipients.slice(0, 3), wrong: arrival.wrong })
    }
    const { server, dotAt, answeredAt, ending, hash } = arrival
    const from = { life: this.#life(arrival.helo), source: lastNumber(arrival.from) }
    const seen: Seen = { ...from, server, dotAt, answeredAt, ending, hash }
    for (const recipient of arrival.recipients) {
      const slot = this.#slotOf(recipient)
      if (slot === null) {
        this.strangers++
        continue
      }
      this.#see(slot.slot, slot.number, seen)
      const due = this.#due.get(slot.number)
      if (due && dotAt < due.dueAt - DUE_TOLERANCE_MS && this.early.length < EARLY_KEPT)
        this.early.push({ recipient, ...due, dotAt })
    }
  }

  refusedForGood({ server, recipients }: PermanentRefusal): void {
    if (recipients.length === 0) {
      this.sessionRefusals.set(server, (this.sessionRefusals.get(server) ?? 0) + 1)
    }
    for (const recipient of recipients) {
      const slot = this.#slotOf(recipient)
      if (slot === null) continue
      this.recipientRefusals++
      this.#slots.refused.set(slot.slot, 1)
    }
  }

  #see(slot: number, number: number, seen: Seen): void {
    const before = this.arrivals(slot)
    this.arrivedAll++
    if (before < 255) this.#slots.arrivals.set(slot, before + 1)
    if (before > 0) {
      const more = this.#more.get(slot)
      if (more === undefined) this.#more.set(slot, [seen])
      else more.push(seen)
      return
    }
    this.arrivedOnce++
    if (this.fate(number) === 'accepted') this.arrivedAccepted++
    const { life, source, server, ending, dotAt, answeredAt, hash } = this.#slots
    life.set(slot, seen.life)
    source.set(slot, seen.source)
    server.set(slot, seen.server)
    ending.set(slot, ENDINGS.indexOf(seen.ending))
    dotAt.set(slot, seen.dotAt)
    answeredAt.set(slot, seen.answeredAt ?? NONE)
    hash.set(slot, seen.hash)
  }

  /** Null for an address nobody wrote to. */
  slotOf(address: string): number | null {
    return this.#slotOf(address)?.slot ?? null
  }

  #slotOf(address: string): { number: number; slot: number } | null {
    const place = readAddress(address)
    if (place === null || place.number >= this.count) return null
    const slot = this.slots(place.number)[place.slot]
    return slot === undefined ? null : { number: place.number, slot }
  }

  #life(name: string): number {
    let life = this.#lifeNumbers.get(name)
    if (life === undefined) {
      life = this.lives.length
      this.lives.push(name)
      this.#lifeNumbers.set(name, life)
    }
    return life
  }
}
