/**
 * Fetches attachments that a sender names by URL. This happens before the message is accepted, so a 200 means that the
 * files are stored too.
 */
import { CompanyPlaces } from '../common/company-places.ts'
import { lastComponent } from '../mail/file-name.ts'
import { DEFAULT_MEDIA_TYPE, mediaTypeOf, parseMediaType } from '../mail/media-type.ts'
import {
  NoAnswer,
  NotAUrl,
  type OutgoingResponse,
  outgoingUrl,
  type SendRequest,
} from '../network/outgoing.ts'
import { Refusal } from './refusal.ts'
import type { Submission, SubmittedAttachment } from './submission.ts'

/** Milliseconds for all files of a request together, redirects included. */
const WITHIN = 30_000
/** The least time for a fetch, in ms: with less left, no fetch begins. */
const LEAST = 50
const AT_ONCE = 4
/**
 * Files fetched at once, for all companies together. A single company may use half of the places, and some always stay
 * free for others.
 */
const FETCHES = { size: 64, kept: 8, timesFree: 1 }
/** The most different files of one request, so that no request can flood the servers that it names. */
const MAX_FILES = 100
/** The most redirects of one fetch; the `fetch` of browsers follows more. */
const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The result for a URL. `failure`: the reason, without a full stop. */
export type FetchResult = { content: Uint8Array; contentType: string | null } | { failure: string }

/** Reserves this number of further octets. Throws when there is no room for them. */
export type ReserveOctets = (octets: number) => void

interface RemoteFilesOptions {
  ask: SendRequest
  /** Octets of all files of a request together. */
  maxOctets: number
  /** Milliseconds for all of them; 30 seconds by default. */
  withinMs?: number
}

export class RemoteFiles {
  readonly #options: RemoteFilesOptions
  readonly #turns = new CompanyPlaces(FETCHES)

  constructor(options: RemoteFilesOptions) {
    this.#options = options
  }

  /**
   * Fetches each of these URLs once, and returns the result for each. They must be valid for `outgoingUrl`. Rejects
   * with the error of `reserve`, or with a Refusal when there are too many URLs.
   */
  async fetch(
    company: string,
    urls: Iterable<string>,
    reserve: ReserveOctets,
  ): Promise<Map<string, FetchResult>> {
    const left = [...new Set(urls)]
    if (left.length > MAX_FILES) {
      const detail = `a request may name at most ${MAX_FILES} files by \`path\`, but ${left.length} were named`
      throw new Refusal({ code: 'field_invalid', field: 'attachments', detail })
    }
    const visit = new RequestFetches(this.#options, (signal) => this.#turns.take(company, signal), reserve)
    const fetched = new Map<string, FetchResult>()
    const next = async (): Promise<void> => {
      for (let url = left.shift(); url !== undefined; url = left.shift()) {
        fetched.set(url, await visit.fetch(url))
      }
    }
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, next))
    } finally {
      // When there is no room for one file, the request fails without waiting for the others.
      left.length = 0
      visit.close()
    }
    return fetched
  }
}

/** Waits for a turn, and returns the function that ends it. */
type TakeTurn = (signal: AbortSignal) => Promise<() => void>

/** The fetches of one request. */
class RequestFetches {
  readonly #options: RemoteFilesOptions
  readonly #turn: TakeTurn
  readonly #reserve: ReserveOctets
  readonly #within: number
  readonly #until: number
  readonly #ended = new AbortController()
  #octets = 0
  /** The error that `reserve` has thrown. */
  #noRoom: { error: unknown } | null = null

  constructor(options: RemoteFilesOptions, turn: TakeTurn, reserve: ReserveOctets) {
    this.#options = options
    this.#turn = turn
    this.#reserve = reserve
    this.#within = options.withinMs ?? WITHIN
    this.#until = performance.now() + this.#within
  }

  close(): void {
    this.#ended.abort()
  }

  async fetch(text: string): Promise<FetchResult> {
    const late = AbortSignal.timeout(Math.max(0, Math.floor(this.#until - LEAST - performance.now())))
    let ended: () => void
    try {
      ended = await this.#turn(AbortSignal.any([late, this.#ended.signal]))
    } catch {
      return {
        failure: `too many files are being fetched, and its turn did not come within ${this.#within / 1000} seconds`,
      }
    }
    try {
      return await this.#follow(text)
    } finally {
      ended()
    }
  }

  async #follow(text: string): Promise<FetchResult> {
    try {
      let url = outgoingUrl(text)
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const answer = await this.#ask(url)
        const { location } = answer.headers
        if (!REDIRECTS.has(answer.status) || location === undefined) return fileOf(url, answer)
        url = redirected(url, location)
      }
      return { failure: `it leads through more than ${MAX_REDIRECTS} redirects` }
    } catch (error) {
      if (this.#noRoom !== null) throw this.#noRoom.error
      if (error instanceof TooLarge || error instanceof NoAnswer) return { failure: error.message }
      if (error instanceof NotAUrl) return { failure: `the URL that it redirects to ${error.message}` }
      throw error
    }
  }

  async #ask(url: URL): Promise<OutgoingResponse> {
    const { ask, maxOctets } = this.#options
    const timeoutMs = Math.floor(this.#until - performance.now())
    if (timeoutMs <= 0) throw new NoAnswer('late', this.#tooLate(url))
    let excess: TooLarge | null = null
    try {
      return await ask({
        method: 'GET',
        url,
        headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Postroad' },
        timeoutMs,
        maxOctets,
        signal: this.#ended.signal,
        received: (octets) => {
          this.#octets += octets
          if (this.#octets > maxOctets) {
            excess = new TooLarge(`the files of this request have more than ${maxOctets} octets in total`)
            throw excess
          }
          try {
            this.#reserve(octets)
          } catch (error) {
            this.#noRoom = { error }
            throw error
          }
        },
      })
    } catch (error) {
      if (excess !== null) throw excess
      if (error instanceof NoAnswer && error.kind === 'late') {
        throw new NoAnswer('late', this.#tooLate(url), { cause: error })
      }
      throw error
    }
  }

  #tooLate({ host }: URL): string {
    return `${host} did not send it in time: all files of a request together have ${this.#within / 1000} seconds`
  }
}

class TooLarge extends Error {
  override name = 'TooLarge'
}

/** Throws NotAUrl. */
function redirected(from: URL, location: string): URL {
  const to = URL.parse(location, from.href)
  if (to === null) throw new NotAUrl('is not a URL')
  return outgoingUrl(to.href)
}

function fileOf({ host }: URL, { status, headers, body, complete }: OutgoingResponse): FetchResult {
  if (status !== 200) return { failure: `${host} answered ${status}` }
  if (!complete) return { failure: `${host} sent only a part of it` }
  const coding = headers['content-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    return { failure: `${host} sent it with a content coding that was not requested` }
  }
  return { content: body, contentType: headers['content-type'] ?? null }
}

/** The URLs that a submission names; null when all of its files are present. */
export function remoteUrls({ attachments }: Submission): string[] | null {
  const urls = attachments.flatMap(({ path }) => path ?? [])
  return urls.length === 0 ? null : urls
}

/** Puts the files in place of their URLs. Throws a Refusal with the index of the first that could not be fetched. */
export function placeFiles(submission: Submission, fetched: ReadonlyMap<string, FetchResult>): void {
  for (const [index, file] of submission.attachments.entries()) {
    const { path } = file
    if (path === undefined) continue
    const found = fetched.get(path) ?? { failure: 'it was not requested' }
    if ('failure' in found) {
      const detail = `its \`path\` could not be fetched: ${found.failure}`
      throw new Refusal({ code: 'attachment_invalid', index, detail })
    }
    submission.attachments[index] = withContent(file, found)
  }
}

function withContent(
  { path: _, ...file }: SubmittedAttachment,
  { content, contentType }: Extract<FetchResult, { content: Uint8Array }>,
): SubmittedAttachment {
  const whole = { ...file, content }
  const isKnown = file.contentType !== undefined || mediaTypeOf(file.filename) !== DEFAULT_MEDIA_TYPE
  // The type that the server gives counts only when no other is known.
  if (isKnown || contentType === null || parseMediaType(contentType) === null) return whole
  return { ...whole, contentType }
}

/** The file name in a URL; empty when there is none. */
export function fileNameOf({ pathname }: URL): string {
  try {
    return lastComponent(decodeURIComponent(pathname))
  } catch {
    return lastComponent(pathname)
  }
}
