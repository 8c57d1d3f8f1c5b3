/**
 * What somebody arrives at the sign-in page with: the token of a link, which stands behind `#`, where no server and no
 * log gets to see it, or what a provider has sent the browser back with. Taken out of the address before anything else
 * looks at it, so that neither the address bar nor the history keep it.
 */
export interface Arrival {
  token: string | null
  /** The query of the address. */
  openid: string | null
}

export const arrival: Arrival = takeArrival()

function takeArrival(): Arrival {
  const { pathname, search, hash } = window.location
  const nothing = { token: null, openid: null }
  if (!pathname.endsWith('/sign-in')) return nothing
  const query = new URLSearchParams(search)
  const token = new URLSearchParams(hash.slice(1)).get('token')
  if (token !== null) {
    window.history.replaceState(null, '', pathname + search)
    return { ...nothing, token }
  }
  if (!query.has('state') || !(query.has('code') || query.has('error'))) return nothing
  window.history.replaceState(null, '', pathname)
  return { ...nothing, openid: search.slice(1) }
}

const KEPT = 'postroad-sign-in-to'
const CONNECTING = 'postroad-connecting'

/** Where to go once the provider has sent the browser back. */
export function keepTarget(to: string): void {
  window.sessionStorage.removeItem(CONNECTING)
  window.sessionStorage.setItem(KEPT, to)
}

/** Somebody who has signed in connects an account of the provider with his. */
export function keepConnecting(to: string): void {
  keepTarget(to)
  window.sessionStorage.setItem(CONNECTING, '1')
}

export function takeTarget(): string | null {
  return taken(KEPT)
}

export function takeConnecting(): boolean {
  return taken(CONNECTING) !== null
}

function taken(key: string): string | null {
  const value = window.sessionStorage.getItem(key)
  window.sessionStorage.removeItem(key)
  return value
}
