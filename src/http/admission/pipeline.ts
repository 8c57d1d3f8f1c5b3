/**
 * Requests sent before the answer to the one before them (RFC 9112 9.3.2). All that came in one piece are begun at
 * once, between which nobody else is served, and their answers wait in memory for each other; so there are few on one
 * connection, or it ends. A client that pipelines has to expect that (9.3.2), and nearly none does.
 */
import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** Requests without an answer on one connection. */
const MOST = 16

/** `handler`, for requests of connections that do not have too many. */
export function withoutLongPipelines(handler: RequestListener): RequestListener {
  const unanswered = new WeakMap<Socket, number>()
  return (request, response) => {
    const { socket } = request
    const before = unanswered.get(socket) ?? 0
    if (before >= MOST) {
      // Those that were read with this one still come here.
      socket.destroy()
      return
    }
    unanswered.set(socket, before + 1)
    response.once('close', () => unanswered.set(socket, unanswered.get(socket)! - 1))
    handler(request, response)
  }
}
