/** The request target in the canonical form for routing. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * Returns the origin form (RFC 9112 3.2.1) with runs of slashes in the path collapsed: base URLs are often configured
 * with a trailing one. The path of the result can always be decoded.
 */
export function normalTarget(target: string): string {
  if (target.startsWith('/') && !target.includes('//') && !target.includes('%')) return target
  // RFC 9112 3.2.2: a server accepts the absolute form as well.
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const query = origin.indexOf('?')
  const path = decodable(query < 0 ? origin : origin.slice(0, query))
  const collapsed = path.replace(/\/{2,}/g, '/')
  return (collapsed.startsWith('/') ? collapsed : `/${collapsed}`) + (query < 0 ? '' : origin.slice(query))
}

/**
 * A percent sign without two digits is taken literally, and octets that are not UTF-8 become U+FFFD (WHATWG URL, "UTF-8
 * decode without BOM"): nothing has such a name, so every route answers that it does not exist.
 */
function decodable(path: string): string {
  if (!path.includes('%')) return path
  try {
    decodeURIComponent(path)
    return path
  } catch {
    return path
      .replace(/%(?![0-9a-f]{2})/gi, '%25')
      .replace(/(?:%[0-9a-f]{2})+/gi, (octets) =>
        encodeURIComponent(Buffer.from(octets.replaceAll('%', ''), 'hex').toString()),
      )
  }
}

/** The path of a normal target as routing compares it, without query. */
export function decodedPath(target: string): string {
  const query = target.indexOf('?')
  return decodeURI(query < 0 ? target : target.slice(0, query))
}

const SANE_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/

/** The client's own `x-request-id` when it is harmless in a log, otherwise a new one. */
export function requestId(request: IncomingMessage & WithId): string {
  const given = request.headers['x-request-id']
  const id = typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID()
  request[ID] = id
  return id
}

const ID = Symbol('request id')

export interface WithId {
  [ID]?: string
}

/** Gives a visitor that is not an HTTP request the id of its log entries. */
export function withId<Visitor extends object>(visitor: Visitor, id: string): Visitor {
  return Object.assign(visitor, { [ID]: id })
}

/** The id that the request was given earlier. */
export function idOf(request: WithId): string | undefined {
  return request[ID]
}
