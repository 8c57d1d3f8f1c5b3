import type { Answer } from '../answer.ts'
import { htmlPages } from '../html-page.ts'

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color:#1c2733;background:#fff}' +
  'code{white-space:nowrap;background:#eef2f5;padding:.1em .3em;border-radius:.2em}h1{margin-bottom:0}small{color:#5a6875}' +
  '@media(prefers-color-scheme:dark){body{color:#dde4ea;background:#14191e}code{background:#26303a}small{color:#93a1ad}}'

const page = htmlPages({ style: STYLE })

export function homePage(version: string): Answer {
  const content = `<h1>Postroad</h1>
<p><small>version ${version}</small></p>
<p>This is an outbound email service. Applications send messages with <code>POST /emails</code> (JSON) or
<code>POST /v3/{domain}/messages</code> (form fields), and read them with <code>GET /emails/{id}</code>.</p>
<p>See the <a href="/docs">API reference</a>, also as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
<p><code>/health</code> shows whether the process is running, <code>/ready</code> whether it can accept mail now.
For everything else, see <code>README.md</code> and the directory <code>docs</code> of the program.</p>`
  return page({ title: 'Postroad', content })
}
