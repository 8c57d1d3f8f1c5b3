/** Tokens of sessions and links: the secret that the holder has, and the stored hash. */
import { hash, randomBytes } from 'node:crypto'

/** 256 random bits in base64url, 43 characters; only `hash` is stored. */
export function newSecret(): { token: string; hash: Uint8Array } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashSecret(token) }
}

/** SHA-256, 32 octets: enough for a random secret. */
export function hashSecret(token: string): Uint8Array {
  return hash('sha256', token, 'buffer')
}
