/** The document of the frame that shows an email, with the policy that limits what it can do. */
import type { LongAnswer } from '../answer.ts'
import { escapedHtml } from '../html-page.ts'
import { slices } from '../stored-files/file-answer.ts'

/**
 * The pictures that a frame may load in addition to embedded ones: none, pictures on the web, or also pictures of an
 * application that is being developed on the viewer's machine.
 */
type RemotePictures = 'none' | 'web' | 'web-and-own-machine'

const PICTURE_SOURCES: Readonly<Record<RemotePictures, string>> = {
  none: '',
  web: ' https:',
  'web-and-own-machine': ' https: http://localhost:* http://127.0.0.1:*',
}

/** `sandbox`: no script, no origin, no form; a link opens a window of its own. */
function framePolicy(remote: RemotePictures): string {
  return [
    'sandbox allow-popups allow-popups-to-escape-sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data:${PICTURE_SOURCES[remote]}`,
    "frame-ancestors 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

export function frameAnswer(html: Uint8Array, remote: RemotePictures): LongAnswer {
  return {
    type: 'text/html; charset=utf-8',
    pieces: slices(html),
    headers: {
      'content-length': String(html.byteLength),
      'content-security-policy': framePolicy(remote),
      'referrer-policy': 'no-referrer',
      'x-dns-prefetch-control': 'off',
      'cross-origin-resource-policy': 'same-origin',
      'x-robots-tag': 'noindex',
    },
  }
}

/** A document that shows plain text. */
export function frameOfText(text: string): Buffer {
  const style = 'font: 16px system-ui; white-space: pre-wrap; overflow-wrap: anywhere'
  return Buffer.from(
    `<!doctype html><meta name="color-scheme" content="light dark"><body style="${style}">${escapedHtml(text)}`,
  )
}
