/** Answers too long to be made as a whole: written in pieces, each made when the one before it has left. */
import type { ServerResponse } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'

/** Characters that are written at once. */
const AT_ONCE = 64 * 1024
/** Ms for which a client may take in nothing: what is read for it is kept in memory meanwhile. */
const STALLED = 30_000

/** Resolves when all has left, or the client has: then the rest is never made. Expects that the head is written. */
export async function writePieces(
  response: ServerResponse,
  pieces: Iterable<string | Uint8Array>,
): Promise<void> {
  let waiting = ''
  for (const piece of pieces) {
    // Pieces of text are put together, octets are as many as their maker wants written at once.
    if (typeof piece === 'string') {
      waiting += piece
      if (waiting.length < AT_ONCE) continue
    }
    const next = typeof piece === 'string' ? waiting : piece
    // Whoever takes it in at once leaves others their turn.
    const left = response.write(next) ? await turn(true) : await leaves(response, 'drain')
    if (!left || response.destroyed) return
    waiting = ''
  }
  response.end(waiting)
  await leaves(response, 'finish')
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
