/**
 * Pipelined requests, sent before the answer to the previous one (RFC 9112 9.3.2). All requests in one piece of input
 * begin at once, nothing else is served in between, and their answers wait in memory for each other. So a connection
 * with more than a few is ended. A client that pipelines must expect that (9.3.2), and hardly any client pipelines.
 */
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { clip } from '../common/clip.ts'
import { presentWork } from '../common/present-work.ts'
import type { PausedSockets } from '../ingress/admission/held-back.ts'
import { idOf, type WithId } from '../ingress/target.ts'
import { countChunks } from './unread-body.ts'

/** Unanswered requests on one connection. */
const MAX = 16

/** Wraps `handler`, and ends connections that have too many unanswered requests. */
export function withoutLongPipelines(handler: RequestListener, heldBack: PausedSockets): RequestListener {
  const unanswered = new WeakMap<Socket, number>()
  return (request, response) => {
    const { socket } = request
    const before = unanswered.get(socket) ?? 0
    if (before >= MAX) {
      socket.destroy()
      stopParsing(socket)
      return
    }
    unanswered.set(socket, before + 1)
    heldBack.worked(socket)
    const work = presentWork.begin(describeRequest, request, () => handler(request, response))
    // The handler has read the fields of the head.
    countChunks(request, heldBack)
    response.once('close', () => {
      unanswered.set(socket, unanswered.get(socket)! - 1)
      presentWork.finish(work)
    })
  }
}

/**
 * Discards the input read together with this request. When Node.js returns 2 to its parser for a head (meaning that
 * another protocol follows), parsing ends there; otherwise it would parse up to 3,600 more heads in 64 KiB.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming?: () => number } | null }
  if (parser) parser.onIncoming = () => 2
}

/** The fields that identify a request in the log. */
function describeRequest(request: IncomingMessage & WithId): object {
  const { method, url } = request
  return { requestId: idOf(request), operation: `${method} ${clip(url ?? '')}` }
}
