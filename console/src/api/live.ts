/**
 * What changes, as it does: one stream (server-sent events) for the page, whoever on it wants to know. It goes on where
 * it was, whatever interrupts it: each event says how far the log has been told, and the next stream begins there.
 */
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import type { Static } from 'typebox'
import type { CHANGES } from '../../../src/http/console/contract/emails.ts'
import { pathOf, queryText } from './client.ts'
import { queries } from './queries.ts'
import { sessionQuery } from './session.ts'

export type Changes = Static<typeof CHANGES>
export type LiveState = 'connecting' | 'live' | 'interrupted'

/** Ms before the stream is opened again: at first, and at most. */
const FIRST_PAUSE = 500
const LONGEST_PAUSE = 8_000
/** Ms for which a page that nobody sees keeps its stream: a browser has few connections to one server. */
const HIDDEN_FOR = 10_000
/** What was told last, for those who begin to listen while they ask for what they show. */
const KEPT = 20

class LiveStream {
  readonly company: string
  readonly listeners = new Set<(changes: Changes) => void>()
  /** Where what is kept begins. */
  #begun = 0
  #recent: Changes[] = []
  #source: EventSource | null = null
  #cursor: number | null = null
  #failures = 0
  #timer: number | undefined
  #hiding: number | undefined

  constructor(company: string) {
    this.company = company
    document.addEventListener('visibilitychange', this.#seen)
    this.#seen()
  }

  /** What was told behind a number; null: nobody knows any more. */
  since(cursor: number): Changes[] | null {
    if (this.#cursor === null || this.#cursor <= cursor) return []
    return cursor < this.#begun ? null : this.#recent.filter((changes) => changes.cursor > cursor)
  }

  close(): void {
    document.removeEventListener('visibilitychange', this.#seen)
    window.clearTimeout(this.#hiding)
    this.#stop()
  }

  #seen = () => {
    window.clearTimeout(this.#hiding)
    if (document.hidden) this.#hiding = window.setTimeout(() => this.#stop(), HIDDEN_FOR)
    else if (this.#source === null) this.#open()
  }

  #stop(): void {
    window.clearTimeout(this.#timer)
    this.#source?.close()
    this.#source = null
  }

  #open(): void {
    this.#stop()
    const after = this.#cursor ?? undefined
    const url = `/console/api/companies${pathOf(this.company)}/live${queryText({ after })}`
    const source = new EventSource(url)
    this.#source = source
    source.addEventListener('changes', ({ data }: MessageEvent<string>) => {
      if (this.#source !== source) return
      const changes = JSON.parse(data) as Changes
      this.#failures = 0
      this.#keep(changes)
      say('live')
      renew(changes)
      for (const listener of this.listeners) listener(changes)
    })
    // The browser's own way would give up at the first answer that is no stream, as a proxy gives while we restart.
    source.addEventListener('error', () => {
      if (this.#source === source) this.#interrupted()
    })
  }

  #keep(changes: Changes): void {
    if (this.#cursor === null) this.#begun = changes.cursor
    this.#cursor = changes.cursor
    this.#recent.push(changes)
    if (this.#recent.length > KEPT) this.#begun = this.#recent.shift()!.cursor
  }

  #interrupted(): void {
    this.#stop()
    this.#failures += 1
    // Most streams end because the service restarts, and the next one stands at once.
    if (this.#failures > 1 || state === 'connecting') say('interrupted')
    else say('connecting')
    const pause = Math.min(FIRST_PAUSE * 2 ** (this.#failures - 1), LONGEST_PAUSE)
    // Not all pages at once.
    this.#timer = window.setTimeout(() => this.#open(), pause * (0.75 + Math.random() / 2))
    // Why it ended nobody says; that one has been signed out, the answer to this does.
    void queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
  }
}

/** What is open of emails that changed is asked for again. */
function renew({ emails, more }: Changes): void {
  const changed = new Set(emails.map(({ id }) => id))
  if (changed.size === 0 && !more) return
  void queries.invalidateQueries({
    predicate: ({ queryKey: [kind, ...rest] }) =>
      kind === 'email' && (more || rest.some((part) => typeof part === 'string' && changed.has(part))),
  })
}

let stream: LiveStream | null = null
/** Those who keep the stream open. */
let users = 0
let state: LiveState = 'connecting'
const watchers = new Set<() => void>()

function say(next: LiveState): void {
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

/** Tells what changes in the company (or `all`) for as long as the component is there. */
export function useLive(company: string, listener: (changes: Changes) => void = () => {}): void {
  const tell = useEffectEvent(listener)
  useEffect(() => {
    const { listeners } = streamOf(company)
    const own = (changes: Changes) => tell(changes)
    listeners.add(own)
    users += 1
    return () => {
      listeners.delete(own)
      users -= 1
      // Whoever takes its place comes in the same turn.
      setTimeout(() => {
        if (users > 0 || stream === null) return
        stream.close()
        stream = null
      })
    }
  }, [company])
}

/** What was told of the company behind a number of the log; null: nobody knows, so ask again. */
export function toldSince(company: string, cursor: number): Changes[] | null {
  return stream?.company === company ? stream.since(cursor) : []
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (tell) => {
      watchers.add(tell)
      return () => watchers.delete(tell)
    },
    () => state,
  )
}
