/** API key tokens: the secret that the holder keeps, and the hash that we store. */
import { hash, randomInt } from 'node:crypto'

const PREFIX = 'pr_'
const LENGTH = 32
/** Characters of a token that lists show: the prefix, and 24 bits. */
const START = PREFIX.length + 4
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const TOKEN = /^pr_[0-9A-Za-z]{32}$/

/**
 * A new secret of 190 bits (32 characters out of 62) with a prefix for secret scanners. The token must be shown once
 * and forgotten; `hash` is stored, and `start`, by which people recognize it: 166 bits stay secret.
 */
export function newToken(): { token: string; hash: Uint8Array; start: string } {
  const characters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)])
  const token = PREFIX + characters.join('')
  return { token, hash: hashToken(token), start: token.slice(0, START) }
}

/** True for text in the shape of `newToken`. Says nothing about whether such a key exists. */
export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

/**
 * SHA-256 of the token, 32 octets. A fast hash is enough: it protects 190 random bits, not a chosen password, and it is
 * computed for every request.
 */
export function hashToken(token: string): Uint8Array {
  return hash('sha256', token, 'buffer')
}

/** The same hash as base64 text, for look-ups: computed in a quarter of the time of a buffer. */
export function tokenDigest(token: string): string {
  return hash('sha256', token, 'base64')
}
