/** Codes that stand in for the authenticator app, each once. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

const COUNT = 10
/** Without those that are taken for each other. Of 32, so that five bits make one. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz023456789'
/** 80 bits: what stands for them may be a plain hash. */
const LENGTH = 16

export interface RecoveryCodes {
  /** For their owner, seen once: `k7qm-2xfd-9rtw-hc4p`. */
  codes: string[]
  /** What is kept: SHA-256 in base64. */
  hashes: string[]
}

export function newRecoveryCodes(): RecoveryCodes {
  const codes = Array.from({ length: COUNT }, newCode)
  return { codes, hashes: codes.map(hashed) }
}

/** What is left of them without this one; null: it is none of them. */
export function withoutRecoveryCode(hashes: readonly string[], code: string): string[] | null {
  const given = Buffer.from(hashed(code))
  const found = hashes.filter((each) => {
    const kept = Buffer.from(each)
    return kept.length === given.length && timingSafeEqual(kept, given)
  })
  return found.length === 0 ? null : hashes.filter((each) => !found.includes(each))
}

function newCode(): string {
  const letters = [...randomBytes(LENGTH)].map((octet) => ALPHABET[octet % ALPHABET.length]!).join('')
  return letters.match(/.{4}/g)!.join('-')
}

/** However it was typed: hyphens, blanks and capitals do not matter. */
function hashed(code: string): string {
  return hash('sha256', code.toLowerCase().replace(/[^a-z0-9]/g, ''), 'base64')
}
