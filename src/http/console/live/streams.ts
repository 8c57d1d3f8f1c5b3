/** Streams of what changes (server-sent events, WHATWG HTML 9.2): who may have one, what goes into it, when it ends. */
import type { ServerResponse } from 'node:http'
import type { Static } from 'typebox'
import type { Changes } from '../../../events/live.ts'
import { fairPool } from '../../admission/fair-pool.ts'
import type { HttpCore } from '../../core.ts'
import { Fault } from '../../fault.ts'
import type { Authentication } from '../authenticate.ts'
import type { CHANGES } from '../contract/emails.ts'
import { emailRow } from '../emails/email-row.ts'

/** Streams in all, and of one person. */
const MOST = 400
const MOST_OF_PERSON = 24
/** Seconds after which somebody who found no place may try again. */
const RETRY_AFTER = 5
/** Ms between two looks at whether those who listen still may. */
const LOOK_MS = 2_000
/** Ms between two comments, so that nobody on the way takes a quiet stream for a dead one. */
const COMMENT_MS = 15_000
/** Octets that wait for a client: it is cut off then, and asks for what it has missed. */
const MOST_WAITING = 512 * 1024

export interface Watcher {
  /** Of the session. */
  token: string
  /** Null: of all. */
  companyId: string | null
}

interface Stream extends Watcher {
  response: ServerResponse
}

export class Streams {
  readonly #core: HttpCore
  readonly #authentication: Authentication
  readonly #open = new Set<Stream>()
  readonly #pool = fairPool(MOST)
  /** By person, and by share. */
  readonly #held = new Map<string, number>()
  readonly #texts = new WeakMap<Changes, string>()
  #closed = false
  #look: NodeJS.Timeout | undefined
  #comment: NodeJS.Timeout | undefined

  constructor(core: HttpCore, authentication: Authentication) {
    this.#core = core
    this.#authentication = authentication
  }

  /**
   * Takes a place for one more; what it gives gives it back. Throws a Fault where there is none. `share`: whose part of
   * all of them it is.
   */
  reserve(personId: string, share: string): () => void {
    const held = (name: string) => this.#held.get(name) ?? 0
    if (held(personId) >= MOST_OF_PERSON || !this.#pool.allows(held(share))) {
      throw new Fault({ code: 'too_much_under_way', retryAfter: RETRY_AFTER })
    }
    const add = (name: string, more: number) => {
      const now = held(name) + more
      if (now === 0) this.#held.delete(name)
      else this.#held.set(name, now)
    }
    const names = [personId, share]
    this.#pool.take(1)
    for (const name of names) add(name, 1)
    return () => {
      this.#pool.give(1)
      for (const name of names) add(name, -1)
    }
  }

  /** `after`: a number of the log behind which nothing is known; null: it begins now. `leave`: gives its place back. */
  open(response: ServerResponse, watcher: Watcher, after: number | null, leave: () => void): void {
    if (response.destroyed || this.#closed) {
      response.end()
      leave()
      return
    }
    const unwatch = this.#core.deps.live.watch(watcher.companyId, after, (changes) => {
      write(response, this.#textOf(changes))
    })
    const stream: Stream = { ...watcher, response }
    this.#open.add(stream)
    this.#look ??= setInterval(() => void this.#endOthers(), LOOK_MS).unref()
    this.#comment ??= setInterval(() => this.#keepOpen(), COMMENT_MS).unref()
    response.once('close', () => {
      unwatch()
      leave()
      this.#open.delete(stream)
      if (this.#open.size === 0) this.#rest()
    })
  }

  /** Ends them all, and those that come now: their clients come again, and miss nothing. */
  close(): void {
    this.#closed = true
    for (const { response } of this.#open) response.end()
    this.#rest()
  }

  #rest(): void {
    clearInterval(this.#look)
    clearInterval(this.#comment)
    this.#look = undefined
    this.#comment = undefined
  }

  /** Ends the streams of those who have signed out since, or belong to the company no more. */
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
        // While the store does not answer nobody can tell, and nothing is told either.
        if (await may(stream).catch(() => true)) return
        stream.response.end()
      }),
    )
  }

  #keepOpen(): void {
    for (const { response } of this.#open) write(response, ':\n\n')
  }

  /** The same for all who are told it. */
  #textOf(changes: Changes): string {
    let text = this.#texts.get(changes)
    if (text === undefined) {
      const { directory } = this.#core.deps.accounts
      const { cursor, emails, more } = changes
      const lines = emails.map(({ email, counts }) => emailRow(email, counts, directory))
      const data = JSON.stringify({ cursor, emails: lines, more } satisfies Static<typeof CHANGES>)
      text = `id: ${cursor}\nevent: changes\ndata: ${data}\n\n`
      this.#texts.set(changes, text)
    }
    return text
  }
}

function write(response: ServerResponse, text: string): void {
  if (response.writableEnded || response.destroyed) return
  response.write(text)
  if (response.writableLength > MOST_WAITING) response.destroy()
}
