/** Shown while the console's page is not built yet: it reloads itself until it is. */
import { createHash } from 'node:crypto'
import type { Answer } from '../../answer.ts'
import { pageHeaders } from './headers.ts'

/** Seconds. */
const AGAIN_IN = 2

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:20vh auto;padding:0 1rem;color:#1c2733;background:#fff}' +
  'code{white-space:nowrap;background:#eef2f5;padding:.1em .3em;border-radius:.2em}' +
  '@media(prefers-color-scheme:dark){body{color:#dde4ea;background:#14191e}code{background:#26303a}}'
const DIGEST = createHash('sha256').update(STYLE).digest('base64')

const BODY = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${AGAIN_IN}">
<title>Postroad</title>
<style>${STYLE}</style>
<main>
<h1>The console is being built</h1>
<p>This takes up to a minute after the first start, and a few seconds after an update. The console opens automatically when it is ready. Mail is
accepted and delivered meanwhile.</p>
<p>If the console does not open: <code>npm start</code> builds it in the background; other ways to start the service do not.
Run <code>npm run build</code>; the service does not need a restart.</p>
</main>
</html>
`

export function beingBuiltPage(): Answer {
  return {
    status: 503,
    type: 'text/html; charset=utf-8',
    body: BODY,
    headers: { ...pageHeaders(`'sha256-${DIGEST}'`, { script: false }), 'retry-after': String(AGAIN_IN) },
  }
}
