/** What is not part of either dialect: the first page, and what machines ask about the service's health. */
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Answer, type Answers, JSON_TYPE } from '../answer.ts'
import type { HttpDeps } from '../deps.ts'
import { errorAnswer } from '../json/words.ts'

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color:#1c2733;background:#fff}' +
  'code{white-space:nowrap;background:#eef2f5;padding:.1em .3em;border-radius:.2em}h1{margin-bottom:0}small{color:#5a6875}' +
  '@media(prefers-color-scheme:dark){body{color:#dde4ea;background:#14191e}code{background:#26303a}small{color:#93a1ad}}'

/** Milliseconds the store may take to say that it takes commits. */
const READY_WITHIN = 5_000

export function registerPages(
  app: FastifyInstance,
  deps: Pick<HttpDeps, 'api' | 'version' | 'ready' | 'registry' | 'settings' | 'log'>,
  answers: Answers,
): void {
  const home = homePage(deps.version)
  const alive: Answer = { status: 200, type: JSON_TYPE, body: '{"status":"ok"}' }
  const readiness = new Readiness(deps)
  answers.onUnavailable = () => readiness.doubt()
  const answer = (request: FastifyRequest, reply: FastifyReply, what: Answer) =>
    answers.send(request, reply, 'other', what)

  if (deps.api) app.get('/', async (request, reply) => answer(request, reply, home))
  app.get('/health', async (request, reply) => answer(request, reply, alive))
  app.get('/ready', async (request, reply) => answer(request, reply, await readiness.ask()))
  const page = shared(() => deps.registry.metrics())
  if (deps.settings.metrics === 'same') {
    app.get('/metrics', async (request, reply) =>
      answer(request, reply, {
        status: 200,
        type: deps.registry.contentType,
        body: await page(),
      }),
    )
  }
}

/** All who ask while `make` is under way get what it makes. */
function shared(make: () => Promise<string>): () => Promise<string> {
  let making: Promise<string> | null = null
  return () => {
    making ??= make().finally(() => {
      making = null
    })
    return making
  }
}

/**
 * Ms for which the store is believed to take commits, unless a request finds otherwise. That it does not is asked again each time: a failed
 * look has written nothing.
 */
const READY_HOLDS = 1_000

/** Anybody may ask, and each look costs a commit; so all who ask at once share one, and for a while after one that went through. */
class Readiness {
  readonly #deps: Pick<HttpDeps, 'ready' | 'log'>
  #asking: Promise<Answer> | null = null
  #answer: Answer | null = null
  #until = 0

  constructor(deps: Pick<HttpDeps, 'ready' | 'log'>) {
    this.#deps = deps
  }

  ask(): Answer | Promise<Answer> {
    if (this.#answer !== null && performance.now() < this.#until) return this.#answer
    this.#asking ??= this.#look().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #look(): Promise<Answer> {
    const answer = await this.#probe()
    this.#answer = answer
    this.#until = answer.status === 200 ? performance.now() + READY_HOLDS : 0
    return answer
  }

  /** Something could not be accepted: the next who asks has a new look taken. */
  doubt(): void {
    this.#until = 0
  }

  async #probe(): Promise<Answer> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new Error(`no answer within ${READY_WITHIN} ms`)),
      READY_WITHIN,
    )
    try {
      await Promise.race([this.#deps.ready(), late.promise])
      return { status: 200, type: JSON_TYPE, body: '{"status":"ready"}' }
    } catch (err) {
      this.#deps.log.warn({ err }, 'not ready')
      return errorAnswer(503, 'application_error', 'The service cannot accept mail now.', {
        'retry-after': '5',
      })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** One page without anything from elsewhere: no script, no image, no font. */
function homePage(version: string): Answer {
  const style = createHash('sha256').update(STYLE).digest('base64')
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Postroad</title>
<style>${STYLE}</style>
<h1>Postroad</h1>
<p><small>version ${version}</small></p>
<p>This is an outbound email service. Applications hand it messages through <code>POST /emails</code> (JSON) or
<code>POST /v3/{domain}/messages</code> (form fields), and read one back with <code>GET /emails/{id}</code>.</p>
<p><code>/health</code> tells whether the process runs, <code>/ready</code> whether it can accept mail now.
The <code>README.md</code> and the folder <code>docs</code> that came with the program tell everything else.</p>
</html>
`
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    body,
    headers: {
      'content-security-policy': `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
    },
  }
}
