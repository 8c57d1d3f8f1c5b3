/**
 * Announces problems to the channels of alerts: to each channel once when a problem begins, and once when it is over.
 * Several nodes may do so at once: a node claims each announcement right before it makes it. A channel that is slow or
 * fails delays no other one.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Alert, Announcement, Store } from '../../store/store.ts'
import type { AlertChannel } from './alert-channels.ts'

export interface AnnouncerParts {
  store(): Pick<Store, 'alerts' | 'announcements' | 'claimAnnouncement' | 'endAnnouncement' | 'forgetAlerts'>
  now(): number
  /** The channels of alerts at this moment. */
  channels(): Promise<(alert: Alert) => readonly AlertChannel[]>
  onFault(error: unknown): void
}

/** Ms after which an announcement that failed, or whose node has died, is made again. */
const CLAIM_MS = 5 * 60_000
/** Ms after the first try at which an announcement that fails is given up. */
const GIVE_UP_MS = 24 * 3_600_000
/** Channels that get announcements at the same time. */
const MAX_CHANNELS = 8
/** Announcements to one channel before another one has its turn. */
const MAX_IN_TURN = 20
/** Ms that a stop waits for announcements under way. */
const STOP_MS = 2_000

/** An announcement that a channel lacks. */
interface DueAnnouncement {
  alert: Alert
  channel: AlertChannel
  isEnd: boolean
  claimedUntil: number
}

export class Announcer {
  readonly #parts: AnnouncerParts
  readonly #startedAt: number
  /** The channels, by name, that have a turn or wait for one. */
  readonly #turns = new Map<string, Promise<void>>()
  readonly #waiting: (() => void)[] = []
  #underWay = 0
  /** The problems of which all channels knew everything. */
  #known = ''
  #stopped = false

  constructor(parts: AnnouncerParts) {
    this.#parts = parts
    this.#startedAt = parts.now()
  }

  /**
   * Begins the announcements that are due, and does not wait for them. `thorough`: also looks for channels that were
   * added while nothing else changed.
   */
  async look({ thorough }: { thorough: boolean }): Promise<void> {
    const { store, now, channels } = this.#parts
    const alerts = await store().alerts()
    const present = JSON.stringify(alerts.map(({ id, since, endedAt }) => [id, since, endedAt]))
    if (alerts.length === 0 || (present === this.#known && !thorough)) return
    const [announcements, channelsOf] = await Promise.all([store().announcements(), channels()])
    const lacking = lackingIn(alerts, announcements, channelsOf)
    this.#known = lacking.length === 0 ? present : ''
    const due = lacking.filter(({ claimedUntil }) => claimedUntil <= now()).sort(byTurn)
    for (const [name, ofChannel] of Map.groupBy(due, ({ channel }) => channel.name)) {
      if (!this.#turns.has(name)) this.#begin(name, ofChannel.slice(0, MAX_IN_TURN))
    }
    if (alerts.some(({ endedAt }) => endedAt !== null)) {
      await store().forgetAlerts(now(), now() - GIVE_UP_MS)
    }
  }

  /** Resolves when no announcement is under way. */
  async idle(): Promise<void> {
    while (this.#turns.size > 0) await Promise.all(this.#turns.values())
  }

  /** Resolves when what is under way is announced and recorded, otherwise another node does it once more; or soon. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.race([this.idle(), delay(STOP_MS, undefined, { ref: false })])
  }

  #begin(name: string, all: readonly DueAnnouncement[]): void {
    const turn = this.#turn(all).then(() => void this.#turns.delete(name))
    this.#turns.set(name, turn)
  }

  async #turn(all: readonly DueAnnouncement[]): Promise<void> {
    if (this.#underWay >= MAX_CHANNELS) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#underWay++
    try {
      for (const due of all) {
        if (this.#stopped) break
        await this.#announce(due)
      }
    } catch (error) {
      if (!this.#stopped) this.#parts.onFault(error)
    } finally {
      // The place goes to the channel that has waited longest.
      const next = this.#waiting.shift()
      if (next === undefined) this.#underWay--
      else next()
    }
  }

  async #announce({ alert, channel, isEnd }: DueAnnouncement): Promise<void> {
    const { store, now, onFault } = this.#parts
    const at = now()
    const { id: alertId, since } = alert
    const claim = { alertId, since, channel: channel.name, isEnd, now: at, until: at + CLAIM_MS }
    const triedSince = await store().claimAnnouncement(claim)
    if (triedSince === null) return
    try {
      await channel.tell(isEnd)
    } catch (error) {
      onFault(error)
      // A beginning is tried for a day after a start, because the network may have been down with the service.
      const from = isEnd ? triedSince : Math.max(triedSince, this.#startedAt)
      if (now() - from < GIVE_UP_MS) return
    }
    await store().endAnnouncement(claim, now())
  }
}

/** The announcements that are due: channels do not know of these beginnings and ends. */
function lackingIn(
  alerts: readonly Alert[],
  announcements: readonly Announcement[],
  channelsOf: (alert: Alert) => readonly AlertChannel[],
): DueAnnouncement[] {
  const byAlert = Map.groupBy(announcements, ({ alertId }) => alertId)
  return alerts.flatMap((alert) => {
    const isEnd = alert.endedAt !== null
    const byChannel = new Map(byAlert.get(alert.id)?.map((each) => [each.channel, each]))
    return channelsOf(alert).flatMap((channel) => {
      const { knows = 'nothing', claimedUntil = 0 } = byChannel.get(channel.name) ?? {}
      return knows === (isEnd ? 'beginning' : 'nothing') ? [{ alert, channel, isEnd, claimedUntil }] : []
    })
  })
}

/** Announcements that have not failed come first, then the oldest. */
function byTurn(a: DueAnnouncement, b: DueAnnouncement): number {
  const at = ({ alert }: DueAnnouncement) => alert.endedAt ?? alert.since
  return a.claimedUntil - b.claimedUntil || at(a) - at(b)
}
