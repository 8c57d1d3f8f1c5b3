/**
 * The secrets with which a person arrives to sign in, or to choose a new password: the token of a link, which follows `#` so that
 * it reaches no server and no log, or the parameters of a provider's redirect. This module takes them out of
 * the address before any other code reads it, so that neither the address bar nor the history keeps them.
 */
interface SignInArrival {
  token: string | null
  /** The query string of the address. */
  openid: string | null
}

export const arrival: SignInArrival = takeArrival()

function takeArrival(): SignInArrival {
  const { pathname, search, hash } = window.location
  const nothing = { token: null, openid: null }
  if (!/\/(sign-in|new-password)$/.test(pathname)) return nothing
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

const TARGET_KEY = 'postroad-sign-in-to'
const CONNECTING_KEY = 'postroad-connecting'

/** Stores the page to open after the provider's redirect. */
export function keepTarget(to: string): void {
  window.sessionStorage.removeItem(CONNECTING_KEY)
  window.sessionStorage.setItem(TARGET_KEY, to)
}

/** Marks the redirect as one that connects an account of the provider with the signed-in person. */
export function keepConnecting(to: string): void {
  keepTarget(to)
  window.sessionStorage.setItem(CONNECTING_KEY, '1')
}

export function takeTarget(): string | null {
  return takeItem(TARGET_KEY)
}

export function takeConnecting(): boolean {
  return takeItem(CONNECTING_KEY) !== null
}

function takeItem(key: string): string | null {
  const value = window.sessionStorage.getItem(key)
  window.sessionStorage.removeItem(key)
  return value
}
