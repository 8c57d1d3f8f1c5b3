/** A request and its answer, for the log of API requests. */
import type { IncomingMessage } from 'node:http'
import { clip } from '../common/clip.ts'
import { outlineBody, outlineQuery } from '../ingress/request-log/outline.ts'
import type { RequestLog } from '../ingress/request-log/request-log.ts'
import { bodyOf, clientOf } from '../ingress/request-log/request-trace.ts'
import type { WithId } from '../ingress/target.ts'

/** The most characters of a path, of a client's name, and of an answer. */
const MAX_OF_PATH = 300
const MAX_OF_AGENT = 200
const MAX_OF_ANSWER = 1_000

/** Operations whose successful answers name the accepted email, and contain nothing else. */
const SENDING = new Set(['email_send', 'form_send', 'mime_send'])

interface LoggedAnswer {
  status: number
  body: string | Buffer
  /** The code of the reason for a refusal. */
  refusedFor?: string
}

/** Logs a request that has shown a key. A request without a key is not logged, because it concerns no company. */
export function logRequest(
  log: RequestLog,
  request: IncomingMessage & WithId,
  operation: string,
  { status, body, refusedFor }: LoggedAnswer,
  startedAt: number | undefined,
): void {
  const client = clientOf(request)
  if (client === undefined) return
  const { companyId, keyId, address } = client
  const refused = status >= 400
  if (!log.hasRoom(companyId, refused)) return
  const path = request.url ?? ''
  const query = path.indexOf('?')
  const kept = typeof body === 'string' && (refused || SENDING.has(operation))
  log.add(
    {
      companyId,
      keyId,
      address,
      method: request.method ?? '',
      endpoint: clip((query < 0 ? path : path.slice(0, query)).toWellFormed(), MAX_OF_PATH),
      status,
      error: refused ? (nameIn(body) ?? refusedFor ?? null) : null,
      userAgent: agentOf(request),
      duration: startedAt === undefined ? null : Math.round(performance.now() - startedAt),
      request: refused
        ? (outlineBody(bodyOf(request), request.headers['content-type']) ?? outlineQuery(request.url))
        : null,
      response: kept ? clip(body, MAX_OF_ANSWER) : null,
    },
    refused,
  )
}

function agentOf({ headers }: IncomingMessage): string | null {
  const agent = headers['user-agent']
  return agent === undefined ? null : clip(agent, MAX_OF_AGENT)
}

/** The name of the error in an answer of the JSON dialect. */
function nameIn(body: string | Buffer): string | null {
  if (typeof body !== 'string' || !body.startsWith('{')) return null
  const { name } = JSON.parse(body) as { name?: unknown }
  return typeof name === 'string' ? name : null
}
