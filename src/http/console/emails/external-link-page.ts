/** The confirmation page for a link in a message: it shows the full target, whatever the link's text says. */
import type { IncomingMessage } from 'node:http'
import { Fault } from '../../../ingress/fault.ts'
import { authenticateSession } from '../../../operate/sessions.ts'
import type { Answer } from '../../answer.ts'
import type { HttpCore } from '../../core.ts'
import { escapedHtml } from '../../html-page.ts'
import { EXTERNAL_LINK_URL, isGenuine, LINK_SIGNATURES } from '../../shown-emails/external-link.ts'
import type { EXTERNAL_LINK_ROUTES } from '../contract/email.ts'
import type { Handlers } from '../handlers.ts'
import { sessionToken } from '../session/cookie.ts'

const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "frame-ancestors 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/**
 * The frame that shows a message has no origin, so a link in it comes without the session's cookie (SameSite). The page
 * then requests itself once more, as a same-site request. Only the person to whom the message was shown can continue
 * from it: an attacker cannot use the page to send others from this installation to a page of the attacker's.
 */
export const externalLinkHandlers: Handlers<typeof EXTERNAL_LINK_ROUTES> = {
  'GET /leave': async ({ query: { to = '', s = '', until = '', again }, request }, core) => {
    const person = await personOf(core, request.raw)
    if (person === null && again === undefined) {
      return answer(pageAgain(new URLSearchParams({ to, until, s, again: '1' })))
    }
    const signer = { secret: core.deps.derive(LINK_SIGNATURES), person: person ?? '', until: Number(until) }
    if (person === null || !isGenuine(to, s, signer, Date.now())) {
      const detail = 'This link was not made for you, or it has expired: open the email in the console again'
      throw new Fault({ code: 'link_refused', detail })
    }
    return answer(pageOf(to))
  },
}

async function personOf(core: HttpCore, request: IncomingMessage): Promise<string | null> {
  const token = sessionToken(core, request)
  if (token === null) return null
  const { store, settings } = core.deps
  const signedIn = await authenticateSession(store, token, {
    now: Date.now(),
    lifetime: settings.sessionLifetime,
  })
  return signedIn?.person.id ?? null
}

function answer(body: string): Answer {
  const headers = { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' }
  return { status: 200, type: 'text/html; charset=utf-8', body, headers }
}

function pageAgain(query: URLSearchParams): string {
  const url = escapedHtml(`${EXTERNAL_LINK_URL}?${query}`)
  return `<!doctype html><meta name="referrer" content="no-referrer"><title>Leaving Postroad</title><meta http-equiv="refresh" content="0; url=${url}"><a href="${url}">Go on</a>`
}

function pageOf(to: string): string {
  const url = new URL(to)
  const web = url.protocol === 'http:' || url.protocol === 'https:'
  const shown = web
    ? `${escapedHtml(url.protocol)}//${escapedHtml(url.username && `${url.username}@`)}<b>${escapedHtml(url.host)}</b>${escapedHtml(to.slice(to.indexOf(url.host) + url.host.length))}`
    : escapedHtml(to)
  const warnings = warningsOf(url).map((text) => `<li>${escapedHtml(text)}</li>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Leaving Postroad</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 10vh auto; padding: 0 1rem; }
code { display: block; padding: .75rem; border: 1px solid; border-radius: .5rem; overflow-wrap: anywhere; unicode-bidi: isolate; }
a { display: inline-block; margin-top: 1rem; padding: .5rem 1rem; border-radius: .5rem; background: #167252; color: #fff; text-decoration: none; }
</style>
</head>
<body>
<h1>This link leads out of Postroad</h1>
<p>The link is from an email. Follow it only if you know where it leads: it can tell the sender that the email was opened, and it can trigger actions such as unsubscribing.</p>
<code dir="ltr">${shown}</code>
${warnings.length > 0 ? `<ul>${warnings.join('')}</ul>` : ''}
<a href="${escapedHtml(to)}" rel="noopener noreferrer" target="_blank">Follow the link</a>
</body>
</html>
`
}

function warningsOf({ protocol, username, hostname, port }: URL): string[] {
  const warnings: string[] = []
  if (protocol === 'http:') warnings.push('It is not encrypted (http).')
  if (username !== '') warnings.push('The text before the @ is not where it leads.')
  if (/(^|\.)xn--/.test(hostname)) {
    warnings.push('Its host name has non-ASCII letters, which can look like other letters.')
  }
  if (/^[\d.]+$|^\[/.test(hostname)) warnings.push('It leads to an IP address without a host name.')
  if (port !== '') warnings.push(`It names the port ${port}.`)
  return warnings
}
