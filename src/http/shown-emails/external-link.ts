/** Links of a message in the console: they lead to a page that shows the target, and asks for confirmation. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export const EXTERNAL_LINK_URL = '/console/api/leave'
export const LINK_SIGNATURES = 'links out of shown emails'

const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:'])
const LONGEST = 8 * 1024

/** Ms for which a link works: as long as a page may stay open. */
const VALID_FOR = 24 * 3_600_000

/** The signer of one person's links. */
export interface LinkSigner {
  secret: Uint8Array
  /** The person to whom the email is shown: only this person can continue from the page. */
  person: string
  /** Unix ms. */
  until: number
}

export function linkSigner(secret: Uint8Array, person: string, now: number): LinkSigner {
  return { secret, person, until: now + VALID_FOR }
}

/** Null: a person cannot follow this link. */
export function externalLink(href: string, signer: LinkSigner): string | null {
  const url = followable(href)
  if (url === null) return null
  const query = new URLSearchParams({ to: url, until: String(signer.until), s: signatureOf(url, signer) })
  return `${EXTERNAL_LINK_URL}?${query}`
}

/** `now` in Unix ms. */
export function isGenuine(url: string, signature: string, signer: LinkSigner, now: number): boolean {
  const given = Buffer.from(signature)
  const expected = Buffer.from(signatureOf(url, signer))
  return signer.until > now && given.length === expected.length && timingSafeEqual(given, expected)
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

function signatureOf(url: string, { secret, person, until }: LinkSigner): string {
  return createHmac('sha256', secret).update(`${until} ${person} ${url}`).digest('base64url')
}
