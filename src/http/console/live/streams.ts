/** Streams of changes (server-sent events, WHATWG HTML 9.2): their limits, their content and their end. */
import type { ServerResponse } from 'node:http'
import type { Static } from 'typebox'
import { LogThrottle } from '../../../common/log-throttle.ts'
import { Tally } from '../../../common/tally.ts'
import type { Changes } from '../../../events/live.ts'
import { fairPool } from '../../../ingress/admission/fair-pool.ts'
import { Fault } from '../../../ingress/fault.ts'
import { OPERATOR } from '../../../operate/authority.ts'
import { listedClosures, NO_CLOSURES } from '../../../operate/listed-status.ts'
import type { HttpCore } from '../../core.ts'
import type { Authentication } from '../authenticate.ts'
import type { CHANGES } from '../contract/emails.ts'
import { emailRows } from '../emails/email-row.ts'

/** Streams in all, and of one person. */
const MAX = 400
const MAX_OF_PERSON = 24
/** Seconds after which a client may try again when all places are taken. */
const RETRY_AFTER = 5
/** Ms between two lines in the log about changes that could not be told. */
const FAULTS_EVERY_MS = 60_000
/** Ms between two checks that the watchers still have access. */
const LOOK_MS = 2_000
/** Ms between two signs of life. */
const SIGN_OF_LIFE_MS = 15_000
/** So that no proxy takes a quiet stream for a dead one, and the page notices a dead one: it does not see comments. */
const SIGN_OF_LIFE = 'event: alive\ndata: -\n\n'
/** Octets buffered for a client: beyond them it is disconnected, and catches up when it reconnects. */
const MAX_WAITING = 512 * 1024

export interface Watcher {
  /** The session's token. */
  token: string
  /** Null: all companies. */
  companyId: string | null
}

interface Stream extends Watcher {
  response: ServerResponse
}

export class Streams {
  readonly #core: HttpCore
  readonly #authentication: Authentication
  readonly #open = new Set<Stream>()
  readonly #pool = fairPool(MAX)
  /** Places taken, by person and by share. */
  readonly #held = new Tally()
  readonly #texts = new WeakMap<Changes, Promise<string>>()
  readonly #faults = new LogThrottle(FAULTS_EVERY_MS)
  #closed = false
  #look: NodeJS.Timeout | undefined
  #signs: NodeJS.Timeout | undefined

  constructor(core: HttpCore, authentication: Authentication) {
    this.#core = core
    this.#authentication = authentication
  }

  /**
   * Reserves a place and returns the function that frees it. Throws a Fault when none is free. `share`: the share of
   * the service that it counts towards.
   */
  reserve(personId: string, share: string): () => void {
    if (this.#held.of(personId) >= MAX_OF_PERSON || !this.#pool.allows(this.#held.of(share))) {
      throw new Fault({ code: 'too_much_under_way', retryAfter: RETRY_AFTER })
    }
    const names = [personId, share]
    this.#pool.take(1)
    for (const name of names) this.#held.add(name, 1)
    return () => {
      this.#pool.give(1)
      for (const name of names) this.#held.add(name, -1)
    }
  }

  /**
   * `after`: the number of the last event in the log that the client has seen; null: the stream begins now. `leave`:
   * frees the place.
   */
  open(response: ServerResponse, watcher: Watcher, after: number | null, leave: () => void): void {
    if (response.destroyed || this.#closed) {
      response.end()
      leave()
      return
    }
    let written = Promise.resolve()
    const unwatch = this.#core.deps.live.watch(watcher.companyId, after, (changes) => {
      const text = this.#textOf(changes)
      // In the order of the changes. A client whose stream ends reconnects, and gets them again.
      written = Promise.all([text, written]).then(
        ([text]) => write(response, text),
        () => void response.end(),
      )
    })
    const stream: Stream = { ...watcher, response }
    this.#open.add(stream)
    this.#look ??= setInterval(() => void this.#endOthers(), LOOK_MS).unref()
    this.#signs ??= setInterval(() => this.#keepOpen(), SIGN_OF_LIFE_MS).unref()
    response.once('close', () => {
      unwatch()
      leave()
      this.#open.delete(stream)
      if (this.#open.size === 0) this.#rest()
    })
  }

  /** Ends all streams, and every later one at once: clients reconnect, and miss nothing. */
  close(): void {
    this.#closed = true
    for (const { response } of this.#open) response.end()
    this.#rest()
  }

  #rest(): void {
    clearInterval(this.#look)
    clearInterval(this.#signs)
    this.#look = undefined
    this.#signs = undefined
  }

  /** Ends the streams of people who have signed out, or no longer belong to the company. */
  async #endOthers(): Promise<void> {
    const asked = new Map<string, Promise<boolean>>()
    const may = ({ token, companyId }: Stream) => {
      const name = `${token} ${companyId}`
      const answer = asked.get(name) ?? this.#authentication.stillMay(token, companyId)
      asked.set(name, answer)
      return answer
    }
    await Promise.all(
      [...this.#open].map(async (stream) => {
        // Access is unknown while the store does not answer, but no changes are sent then either.
        if (await may(stream).catch(() => true)) return
        stream.response.end()
      }),
    )
  }

  #keepOpen(): void {
    for (const { response } of this.#open) write(response, SIGN_OF_LIFE)
  }

  /** The same for all its watchers. */
  #textOf(changes: Changes): Promise<string> {
    let text = this.#texts.get(changes)
    if (text === undefined) {
      text = this.#write(changes)
      text.catch((error) => this.#logFault(error))
      this.#texts.set(changes, text)
    }
    return text
  }

  /** Rarely: clients that reconnect meet the same fault. */
  #logFault(error: unknown): void {
    const message = 'Could not tell open consoles what has changed; they ask again'
    if (this.#faults.due() !== null) this.#core.deps.log.error({ err: error }, message)
  }

  async #write({ cursor, emails, more }: Changes): Promise<string> {
    const { deps } = this.#core
    const now = Date.now()
    // Rows tell no words of servers. When the store does not answer, a row says less until it is read again.
    const closedFor = await listedClosures(() => deps.operation(OPERATOR), emails).catch(() => NO_CLOSURES)
    const lines = emailRows(deps, emails, closedFor, now)
    const data = JSON.stringify({ cursor, emails: lines, more } satisfies Static<typeof CHANGES>)
    return `id: ${cursor}\nevent: changes\ndata: ${data}\n\n`
  }
}

function write(response: ServerResponse, text: string): void {
  if (response.writableEnded || response.destroyed) return
  response.write(text)
  if (response.writableLength > MAX_WAITING) response.destroy()
}
