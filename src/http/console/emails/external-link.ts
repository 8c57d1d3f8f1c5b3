/** Where a link of a message leads over: a page that says where it goes, and asks. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export const EXTERNAL_LINK_URL = '/console/api/leave'
export const LINK_SIGNATURES = 'links out of shown emails'

const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:'])
const LONGEST = 8 * 1024

/** Null: nothing that a person could follow. */
export function externalLink(href: string, secret: Uint8Array): string | null {
  const url = followable(href)
  if (url === null) return null
  const query = new URLSearchParams({ to: url, s: signatureOf(url, secret) })
  // As an attribute in double quotes.
  return `${EXTERNAL_LINK_URL}?${query}`.replaceAll('&', '&amp;')
}

export function isGenuine(url: string, signature: string, secret: Uint8Array): boolean {
  const given = Buffer.from(signature)
  const expected = Buffer.from(signatureOf(url, secret))
  return given.length === expected.length && timingSafeEqual(given, expected)
}

export function followable(href: string): string | null {
  if (href.length > LONGEST) return null
  try {
    const url = new URL(href.trim())
    return SCHEMES.has(url.protocol) && url.href.length <= LONGEST ? url.href : null
  } catch {
    return null
  }
}

function signatureOf(url: string, secret: Uint8Array): string {
  return createHmac('sha256', secret).update(url).digest('base64url')
}
