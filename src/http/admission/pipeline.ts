/**
 * Requests sent before the answer to the one before them (RFC 9112 9.3.2). All that came in one piece are begun at
 * once, between which nobody else is served, and their answers wait in memory for each other; so there are few on one
 * connection, or it ends. A client that pipelines has to expect that (9.3.2), and nearly none does.
 */
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { presentWork } from '../../common/present-work.ts'
import { clip } from '../fault.ts'
import { idOf, type WithId } from '../target.ts'
import type { HeldBack } from './held-back.ts'

/** Requests without an answer on one connection. */
const MOST = 16

/** `handler`, for requests of connections that do not have too many. */
export function withoutLongPipelines(handler: RequestListener, heldBack: HeldBack): RequestListener {
  const unanswered = new WeakMap<Socket, number>()
  return (request, response) => {
    const { socket } = request
    const before = unanswered.get(socket) ?? 0
    if (before >= MOST) {
      socket.destroy()
      readNoFurther(socket)
      return
    }
    unanswered.set(socket, before + 1)
    heldBack.worked(socket)
    const work = presentWork.begin(describeRequest, request, () => handler(request, response))
    response.once('close', () => {
      unanswered.set(socket, unanswered.get(socket)! - 1)
      presentWork.end(work)
    })
  }
}

/**
 * Lets go of what was read with this request. Where Node.js answers its parser 2 to a head (the octets behind it are
 * another protocol), parsing ends there; otherwise it would go through some 3,600 more heads in 64 KiB.
 */
function readNoFurther(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming?: () => number } | null }
  if (parser) parser.onIncoming = () => 2
}

/** For the log. */
function describeRequest(request: IncomingMessage & WithId): object {
  const { method, url } = request
  return { requestId: idOf(request), operation: `${method} ${clip(url ?? '')}` }
}
