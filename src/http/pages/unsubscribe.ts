/**
 * `/unsubscribe/{token}`: GET shows a page with a button; POST, by the button or by a mail program (RFC 8058),
 * unsubscribes.
 */
import type { FastifyRequest } from 'fastify'
import { UNSUBSCRIBE_PATH, type UnsubscribeLinks } from '../../email/unsubscribe-link.ts'
import { unsubscribe } from '../../operate/unsubscribe.ts'
import type { Answer } from '../answer.ts'
import type { HttpCore } from '../core.ts'
import { escapedHtml, htmlPages } from '../html-page.ts'

export const UNSUBSCRIBE_ROUTE = `${UNSUBSCRIBE_PATH}:token`

export interface UnsubscribeRoute {
  Params: { token: string }
}

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem;color:#1c2733;background:#fff}' +
  'button{font:inherit;padding:.5rem 1rem}' +
  '@media(prefers-color-scheme:dark){body{color:#dde4ea;background:#14191e}}'
const page = htmlPages({
  style: STYLE,
  // The form is posted to the page itself.
  forms: true,
  headers: { 'x-robots-tag': 'noindex', 'cache-control': 'no-store' },
})

export class UnsubscribePage {
  readonly #core: Pick<HttpCore, 'deps' | 'admission'>
  readonly #links: UnsubscribeLinks

  constructor(core: Pick<HttpCore, 'deps' | 'admission'>, links: UnsubscribeLinks) {
    this.#core = core
    this.#links = links
  }

  /** GET changes nothing: malware scanners follow every link of a message. */
  ask({ params }: FastifyRequest<UnsubscribeRoute>): Answer {
    const link = this.#links.parseToken(params.token)
    if (link === null) return unknown()
    const what = link.tagsOnly ? 'mail of this kind' : 'this mail'
    return answer(
      200,
      `<p><b>${escapedHtml(link.address)}</b> will no longer receive ${what} once you confirm.</p>` +
        '<form method="post"><button name="List-Unsubscribe" value="One-Click">Unsubscribe</button></form>',
    )
  }

  /** The link says everything; no body is read. */
  async take({ raw, params }: FastifyRequest<UnsubscribeRoute>): Promise<Answer> {
    const link = this.#links.parseToken(params.token)
    if (link === null) return unknown()
    const { deps, admission } = this.#core
    admission.admit(raw, link.companyId)
    await unsubscribe(deps.store, link, Date.now())
    return answer(200, `<p><b>${escapedHtml(link.address)}</b> is unsubscribed.</p>`)
  }
}

function unknown(): Answer {
  return answer(404, '<p>This link is incomplete or was altered. Copy it from the message again.</p>')
}

function answer(status: number, content: string): Answer {
  return page({ status, title: 'Unsubscribe', content: `<h1>Unsubscribe</h1>\n${content}` })
}
