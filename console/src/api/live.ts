/**
 * Live changes for the whole page, over one stream (server-sent events). Each event carries a cursor into the
 * log, and a new stream starts at the last cursor, so that no interruption loses a change.
 */
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import type { Static } from 'typebox'
import type { CHANGES } from '../../../src/http/console/contract/emails.ts'
import { urlOf } from './client.ts'
import { reloadShownEmails } from './email.ts'
import { queries } from './queries.ts'
import { sessionQuery } from './session.ts'

export type LiveChanges = Static<typeof CHANGES>
export type LiveConnectionState = 'connecting' | 'live' | 'interrupted'

/** Milliseconds until the stream is opened again: the first pause, and the longest. */
const FIRST_PAUSE = 500
const LONGEST_PAUSE = 8_000
/** Milliseconds for which a hidden page keeps its stream: a browser allows few connections to one server. */
const HIDDEN_FOR = 10_000
/**
 * Milliseconds without an event after which a stream is taken for dead. When the network goes away, nothing tells the
 * browser. The server sends an event every 15 seconds.
 */
const SILENCE = 45_000
/** Events kept for components that subscribe while their first request is still under way. */
const RECENT_EVENTS = 20

class LiveStream {
  readonly company: string
  readonly listeners = new Set<(changes: LiveChanges) => void>()
  /** All changes after this cursor are kept. */
  #begun = 0
  #recent: LiveChanges[] = []
  #source: EventSource | null = null
  #cursor: number | null = null
  #failures = 0
  #timer: number | undefined
  #hiding: number | undefined
  #silence: number | undefined

  constructor(company: string) {
    this.company = company
    document.addEventListener('visibilitychange', this.#seen)
    window.addEventListener('online', this.#online)
    this.#seen()
  }

  /** The changes after `cursor`; `null` if they are no longer kept. */
  since(cursor: number): LiveChanges[] | null {
    if (this.#cursor === null || this.#cursor <= cursor) return []
    return cursor < this.#begun ? null : this.#recent.filter((changes) => changes.cursor > cursor)
  }

  close(): void {
    document.removeEventListener('visibilitychange', this.#seen)
    window.removeEventListener('online', this.#online)
    window.clearTimeout(this.#hiding)
    this.#stop()
  }

  #seen = () => {
    window.clearTimeout(this.#hiding)
    if (document.hidden) this.#hiding = window.setTimeout(() => this.#stop(), HIDDEN_FOR)
    else if (this.#source === null) this.#open()
  }

  /** A connection from before the network was away may be dead. */
  #online = () => {
    if (!document.hidden) this.#open()
  }

  #stop(): void {
    window.clearTimeout(this.#timer)
    window.clearTimeout(this.#silence)
    this.#source?.close()
    this.#source = null
  }

  #open(): void {
    this.#stop()
    const after = this.#cursor === null ? undefined : String(this.#cursor)
    const url = urlOf('GET /companies/:company/live', { company: this.company, query: { after } })
    const source = new EventSource(url)
    this.#source = source
    this.#hear()
    source.addEventListener('alive', () => {
      if (this.#source === source) this.#hear()
    })
    source.addEventListener('changes', ({ data }: MessageEvent<string>) => {
      if (this.#source !== source) return
      const changes = JSON.parse(data) as LiveChanges
      this.#failures = 0
      this.#hear()
      this.#keep(changes)
      say('live')
      void reloadShownEmails(changes.more ? 'all' : new Set(changes.emails.map(({ id }) => id)))
      for (const listener of this.listeners) listener(changes)
    })
    // EventSource itself gives up when an answer is not a stream. A proxy gives such answers during a
    // restart.
    source.addEventListener('error', () => {
      if (this.#source === source) this.#interrupted()
    })
  }

  #hear(): void {
    window.clearTimeout(this.#silence)
    this.#silence = window.setTimeout(() => this.#interrupted(), SILENCE)
  }

  #keep(changes: LiveChanges): void {
    if (this.#cursor === null) this.#begun = changes.cursor
    this.#cursor = changes.cursor
    this.#recent.push(changes)
    if (this.#recent.length > RECENT_EVENTS) this.#begun = this.#recent.shift()!.cursor
  }

  #interrupted(): void {
    this.#stop()
    this.#failures += 1
    // Most streams end because the server restarts, and the next one opens at once.
    if (this.#failures > 1 || state === 'connecting') say('interrupted')
    else say('connecting')
    const pause = Math.min(FIRST_PAUSE * 2 ** (this.#failures - 1), LONGEST_PAUSE)
    // Jitter, so that all open pages do not reconnect at the same moment.
    this.#timer = window.setTimeout(() => this.#open(), pause * (0.75 + Math.random() / 2))
    // EventSource does not tell why a stream ended. This request finds out whether the session has ended.
    void queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
  }
}

let stream: LiveStream | null = null
/** The number of mounted components that use the stream. */
let users = 0
let state: LiveConnectionState = 'connecting'
const watchers = new Set<() => void>()

function say(next: LiveConnectionState): void {
  if (next === state) return
  state = next
  for (const tell of watchers) tell()
}

function streamOf(company: string): LiveStream {
  if (stream?.company === company) return stream
  stream?.close()
  say('connecting')
  stream = new LiveStream(company)
  return stream
}

/** Calls the listener for every change in the company (or `all`) while the component is mounted. */
export function useLive(company: string, listener: (changes: LiveChanges) => void = () => {}): void {
  const tell = useEffectEvent(listener)
  useEffect(() => {
    const { listeners } = streamOf(company)
    const own = (changes: LiveChanges) => tell(changes)
    listeners.add(own)
    users += 1
    return () => {
      listeners.delete(own)
      users -= 1
      // A component that replaces this one subscribes in the same turn, and the stream stays open.
      setTimeout(() => {
        if (users > 0 || stream === null) return
        stream.close()
        stream = null
      })
    }
  }, [company])
}

/**
 * The changes of the company after a cursor of the log; `null` if they are unknown and the caller has to
 * reload.
 */
export function changesSince(company: string, cursor: number): LiveChanges[] | null {
  return stream?.company === company ? stream.since(cursor) : []
}

export function useLiveState(): LiveConnectionState {
  return useSyncExternalStore(
    (tell) => {
      watchers.add(tell)
      return () => watchers.delete(tell)
    },
    () => state,
  )
}
