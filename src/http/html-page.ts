/** Complete HTML pages for people, without scripts and without content from other places. */
import { createHash } from 'node:crypto'
import type { Answer } from './answer.ts'

interface PageStyle {
  /** The style sheet, which the policy names by its digest. */
  style: string
  /** Whether it may show frames of this service, and send a form to it. */
  frames?: boolean
  forms?: boolean
  headers?: Readonly<Record<string, string>>
}

interface HtmlPage {
  status?: number
  /** Text; the content is HTML. */
  title: string
  content: string
}

/** Returns the function that makes pages of this style. */
export function htmlPages({
  style,
  frames = false,
  forms = false,
  headers,
}: PageStyle): (page: HtmlPage) => Answer {
  const digest = createHash('sha256').update(style).digest('base64')
  const own = (allowed: boolean) => (allowed ? "'self'" : "'none'")
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${digest}'`,
    `frame-src ${own(frames)}`,
    "base-uri 'none'",
    `form-action ${own(forms)}`,
    "frame-ancestors 'none'",
  ].join('; ')
  const ofAll = { 'content-security-policy': policy, 'referrer-policy': 'no-referrer', ...headers }
  return ({ status = 200, title, content }) => ({
    status,
    type: 'text/html; charset=utf-8',
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapedHtml(title)}</title>
<style>${style}</style>
${content}
</html>
`,
    headers: ofAll,
  })
}

/** Text as the content of an element or the value of an attribute in quotes. */
export function escapedHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
