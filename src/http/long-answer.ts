/** Answers too long to be made as a whole: written in pieces, each made when the one before it has left. */
import type { ServerResponse } from 'node:http'
import { LoopTurns } from '../common/loop-turns.ts'

/** Characters that are written at once. */
const AT_ONCE = 64 * 1024
/** Ms for which a client may take in nothing: what is read for it is kept in memory meanwhile. */
const STALLED = 30_000

/** What has to be read first comes as an AsyncIterable. */
export type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/**
 * One answer goes on in each turn of the event loop, and companies take turns: 64 KiB of small pieces take some
 * milliseconds to make, and clients ask for more than a hundred answers at once.
 */
const turns = new LoopTurns()

/**
 * Resolves when all has left, or the client has: then the rest is never made. Expects that the head is written.
 * `party`: whose turns it takes, a company or an address.
 */
export async function writePieces(response: ServerResponse, pieces: Pieces, party: string): Promise<void> {
  const turn = () => new Promise<void>((resolve) => turns.take(party, resolve))
  const writing = new Writing(response, turn)
  if (Symbol.asyncIterator in pieces) {
    for await (const piece of pieces) if (!(await writing.add(piece))) return
  } else {
    await turn()
    // Many are small: each would wait a turn for nothing.
    for (const piece of pieces) {
      const added = writing.add(piece)
      if (added !== true && !(await added)) return
    }
  }
  await writing.end()
}

class Writing {
  readonly #response: ServerResponse
  readonly #turn: () => Promise<void>
  #waiting = ''

  constructor(response: ServerResponse, turn: () => Promise<void>) {
    this.#response = response
    this.#turn = turn
  }

  /**
   * Pieces of text are put together, octets are as many as their maker wants written at once. False: nobody takes it
   * in.
   */
  add(piece: string | Uint8Array): true | Promise<boolean> {
    if (typeof piece !== 'string') return this.#write(piece)
    this.#waiting += piece
    return this.#waiting.length < AT_ONCE || this.#write('')
  }

  async #write(piece: string | Uint8Array): Promise<boolean> {
    const response = this.#response
    const text = this.#waiting
    this.#waiting = ''
    if (text !== '') response.write(text)
    const left = response.write(piece) || (await leaves(response, 'drain'))
    if (left) await this.#turn()
    return left && !response.destroyed
  }

  async end(): Promise<void> {
    this.#response.end(this.#waiting)
    await leaves(this.#response, 'finish')
  }
}

/** False when the client has gone, or was cut off because it takes in nothing. */
function leaves(response: ServerResponse, event: 'drain' | 'finish'): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false)
  return new Promise((resolve) => {
    const done = () => settle(true)
    const gone = () => settle(false)
    const stalled = setTimeout(() => response.destroy(), STALLED)
    const settle = (left: boolean) => {
      clearTimeout(stalled)
      response.off(event, done)
      response.off('close', gone)
      resolve(left)
    }
    response.on(event, done)
    response.on('close', gone)
  })
}
