/** Asks before a link of a message is followed: where it leads stands there in full, whatever its text says. */
import type { Answer } from '../../answer.ts'
import type { HttpCore } from '../../core.ts'
import { Fault } from '../../fault.ts'
import { type ConsoleDocument, document } from '../document.ts'
import { EXTERNAL_LINK_URL, isGenuine, LINK_SIGNATURES } from './external-link.ts'

const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "frame-ancestors 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/**
 * Asked for by a frame of no origin, which has no session: links that this service made are known by their signature.
 */
export const externalLinkPage: ConsoleDocument = document({
  method: 'GET',
  url: EXTERNAL_LINK_URL,
  operation: 'console_leave',
  access: 'stranger',
  async work({ query: { to = '', s = '' } }, { deps }: HttpCore): Promise<Answer> {
    if (!isGenuine(to, s, deps.derive(LINK_SIGNATURES))) {
      throw new Fault({ code: 'link_refused', detail: 'This link was not made here, or was altered' })
    }
    return {
      status: 200,
      type: 'text/html; charset=utf-8',
      body: pageOf(to),
      headers: { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' },
    }
  },
})

function pageOf(to: string): string {
  const url = new URL(to)
  const web = url.protocol === 'http:' || url.protocol === 'https:'
  const shown = web
    ? `${escaped(url.protocol)}//${escaped(url.username && `${url.username}@`)}<b>${escaped(url.host)}</b>${escaped(to.slice(to.indexOf(url.host) + url.host.length))}`
    : escaped(to)
  const warnings = warningsOf(url).map((text) => `<li>${escaped(text)}</li>`)
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
<p>It stands in an email. Follow it only if you know where it goes: it may tell its sender that somebody looked, and it may do what it says, such as unsubscribing.</p>
<code dir="ltr">${shown}</code>
${warnings.length > 0 ? `<ul>${warnings.join('')}</ul>` : ''}
<a href="${escaped(to)}" rel="noopener noreferrer" target="_blank">Follow the link</a>
</body>
</html>
`
}

function warningsOf({ protocol, username, hostname, port }: URL): string[] {
  const warnings: string[] = []
  if (protocol === 'http:') warnings.push('It is not encrypted (http).')
  if (username !== '') warnings.push('What stands before the @ is not where it leads.')
  if (/(^|\.)xn--/.test(hostname)) {
    warnings.push('Its name has letters beyond ASCII, which may look like others.')
  }
  if (/^[\d.]+$|^\[/.test(hostname)) warnings.push('It leads to an address without a name.')
  if (port !== '') warnings.push(`It names the port ${port}.`)
  return warnings
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
