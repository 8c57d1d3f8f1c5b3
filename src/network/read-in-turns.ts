/**
 * For a reader that calls `read` for as long as there is something, as undici does: it gets a slice at a time, and
 * nothing while a turn of the event loop is long. A server may send what is much work, 64 KiB at once: chunk
 * extensions, or header fields beyond the limit, of which undici makes an error each.
 */
import type { Socket } from 'node:net'
import { octetTurns } from '../common/octet-turns.ts'

/** Octets that are read at once: header fields beyond the limit are some 500. */
const SLICE = 2 * 1024

/** From here on. `party`: whose turns it takes. */
export function readInTurns(socket: Socket, party: string): void {
  const read = socket.read.bind(socket) as Socket['read']
  let isWaiting = false
  let isItsTurn = false
  socket.read = (size) => {
    const { readableLength } = socket
    if (size !== undefined || readableLength === 0) return read(size)
    // What was read with the octets that it was ended for.
    if (socket.destroyed) return null
    if (octetTurns.areOver && !isItsTurn) {
      if (isWaiting) return null
      isWaiting = true
      octetTurns.take(party, () => {
        isWaiting = false
        isItsTurn = true
        socket.emit('readable')
        isItsTurn = false
      })
      return null
    }
    isItsTurn = false
    return read(Math.min(readableLength, SLICE))
  }
}
