/**
 * Limits a reader that calls `read` while there is input, as undici does: it gets one slice at a time, and nothing
 * while a turn of the event loop is long. A server may send 64 KiB at once that cause much work: chunk extensions, or
 * header fields beyond the limit, for each of which undici creates an error.
 */
import type { Socket } from 'node:net'
import { octetTurns } from '../common/octet-turns.ts'

/** Octets that are read at once: they hold some 500 header fields beyond the limit. */
const SLICE = 2 * 1024

/** Applies to all reads from now on. `party`: the company or address in whose turns the input is read. */
export function readInTurns(socket: Socket, party: string): void {
  const read = socket.read.bind(socket) as Socket['read']
  let isWaiting = false
  let isItsTurn = false
  socket.read = (size) => {
    const { readableLength } = socket
    if (size !== undefined || readableLength === 0) return read(size)
    // Drops the rest of the input of a connection that was ended while its octets were read.
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
