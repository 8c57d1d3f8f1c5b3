/** The built page of the console: its files, and the page itself at every other address under /console. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../../../ingress/fault.ts'
import { decodedPath } from '../../../ingress/target.ts'
import type { Answer } from '../../answer.ts'
import type { Api, RouteHandlerFactory } from '../../api.ts'
import { CONSOLE_PATH } from '../../console-path.ts'
import type { HttpCore } from '../../core.ts'
import { consoleWords } from '../words.ts'
import { beingBuiltPage } from './being-built.ts'
import { type PageFile, PageFiles } from './files.ts'
import { DATA_HEADERS, pageHeaders, SCRIPT_HEADERS } from './headers.ts'

const DIST = new URL('../../../../console/dist', import.meta.url)
/** Paths of the API, which never answer with the page. */
const API = /^\/console\/api(?:\/|$)/
/** Names in this folder contain a digest of the file's content. */
const ASSETS = 'assets/'
/** Cached for a year, the customary maximum (RFC 9111 5.2.2.1, RFC 8246). */
const IMMUTABLE = 'public, max-age=31536000, immutable'
/** Cached, and revalidated on each use (RFC 9111 5.2.2.4). */
const REVALIDATED = 'no-cache'

export class ConsolePage implements Api {
  readonly prefixes = ['/console']
  readonly ownPage = true
  readonly words = consoleWords
  readonly headers = DATA_HEADERS
  readonly #files: PageFiles

  /** `folder`: the build's output. */
  constructor(_core: HttpCore, folder = DIST) {
    this.#files = new PageFiles(folder)
  }

  register(app: FastifyInstance, answering: RouteHandlerFactory): void {
    const answer = answering('console_page', (request) => this.#answer(request))
    app.get('/console', answer)
    app.get('/console/*', async (request: FastifyRequest, reply: FastifyReply) => {
      if (API.test(pathOf(request))) return reply.callNotFound()
      return await answer(request, reply)
    })
  }

  async #answer(request: FastifyRequest): Promise<Answer<string | Buffer>> {
    const name = pathOf(request).slice(CONSOLE_PATH.length)
    const file = await this.#files.find(name)
    if (file !== null) return fileAnswer(name, file, request)
    // For a missing script the browser must not get the page, which it would take for a faulty script.
    if (name.startsWith(ASSETS)) throw new Fault({ code: 'path_unknown' })
    const index = await this.#files.index()
    return index === null ? beingBuiltPage() : indexAnswer(index)
  }
}

/**
 * The page with a nonce (CSP 3 7.1), new in each answer. The page's script marks the styles that it creates with the
 * nonce.
 */
function indexAnswer(index: string): Answer {
  const nonce = randomBytes(18).toString('base64')
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    body: index.replaceAll('%STYLE_NONCE%', nonce),
    headers: pageHeaders(`'nonce-${nonce}'`, { script: true }),
  }
}

function fileAnswer(name: string, file: PageFile, { raw: { headers } }: FastifyRequest): Answer<Buffer> {
  const accepted = headers['accept-encoding'] ?? ''
  const coded = file.coded.find(({ coding }) => isAccepted(coding, accepted))
  const answer = {
    type: file.type,
    cache: name.startsWith(ASSETS) ? IMMUTABLE : REVALIDATED,
    headers: {
      etag: file.tag,
      ...(file.coded.length > 0 && { vary: 'accept-encoding' }),
      ...(name.endsWith('.js') && SCRIPT_HEADERS),
    },
  }
  if (headers['if-none-match']?.split(',').some((tag) => tag.trim() === file.tag)) {
    return { ...answer, status: 304, body: Buffer.alloc(0) }
  }
  if (coded === undefined) return { ...answer, status: 200, body: file.octets }
  const own = { ...answer.headers, 'content-encoding': coded.coding }
  return { ...answer, status: 200, body: coded.octets, headers: own }
}

/** RFC 9110 12.5.3. A coding is used only when named, whatever `*` would allow. */
function isAccepted(coding: string, accepted: string): boolean {
  return accepted.split(',').some((each) => {
    const [name, ...parameters] = each.toLowerCase().split(';')
    return name!.trim() === coding && !parameters.some((parameter) => /^\s*q=0(?:\.0*)?\s*$/.test(parameter))
  })
}

function pathOf({ raw }: FastifyRequest): string {
  return decodedPath(raw.url ?? CONSOLE_PATH)
}
