/** Writes long answers in pieces. Each piece is produced when the one before it is sent. */
import type { ServerResponse } from 'node:http'
import { LoopTurns } from '../common/loop-turns.ts'

/** Characters that are written at once. */
const AT_ONCE = 64 * 1024
/** Ms after which a client that reads nothing is disconnected, because the data for its answer stays in memory. */
const STALLED = 30_000

/** An AsyncIterable if the pieces must first be read. */
export type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/**
 * Each turn of the event loop continues one answer, and companies take turns: 64 KiB of small pieces take some
 * milliseconds to produce, and clients may request more than a hundred answers at once.
 */
const turns = new LoopTurns()

/**
 * Resolves when everything is sent, or when the client has disconnected: the rest is then never produced. The head must
 * already be written. `party`: the company or address whose turns the answer takes.
 */
export async function writePieces(response: ServerResponse, pieces: Pieces, party: string): Promise<void> {
  const turn = () => new Promise<void>((resolve) => turns.take(party, resolve))
  const writing = new AnswerWriter(response, turn)
  if (Symbol.asyncIterator in pieces) {
    for await (const piece of pieces) if (!(await writing.add(piece))) return
  } else {
    await turn()
    // Most pieces are small: a turn for each would be wasted.
    for (const piece of pieces) {
      const added = writing.add(piece)
      if (added !== true && !(await added)) return
    }
  }
  await writing.finish()
}

class AnswerWriter {
  readonly #response: ServerResponse
  readonly #turn: () => Promise<void>
  #waiting = ''

  constructor(response: ServerResponse, turn: () => Promise<void>) {
    this.#response = response
    this.#turn = turn
  }

  /** Text is collected into larger pieces; octets are written as they come. False: the client has disconnected. */
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

  async finish(): Promise<void> {
    this.#response.end(this.#waiting)
    await leaves(this.#response, 'finish')
  }
}

/** False when the client has disconnected, or was disconnected because it reads nothing. */
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
