/** Codes that replace the authenticator app, each once. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

const COUNT = 10
/** Without characters that are mistaken for each other. There are 32, so that a character holds five bits. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz023456789'
/** 80 bits, so a plain hash protects them. */
const LENGTH = 16

export interface RecoveryCodes {
  /** For their owner, shown once: `k7qm-2xfd-9rtw-hc4p`. */
  codes: string[]
  /** The stored form: SHA-256 in base64. */
  hashes: string[]
}

export function newRecoveryCodes(): RecoveryCodes {
  const codes = Array.from({ length: COUNT }, newCode)
  return { codes, hashes: codes.map(hashCode) }
}

/** The remaining hashes without this code's; null: the code is not valid. */
export function withoutRecoveryCode(hashes: readonly string[], code: string): string[] | null {
  const given = Buffer.from(hashCode(code))
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

/** Accepts any typing: hyphens, blanks and capitals do not matter. */
function hashCode(code: string): string {
  return hash('sha256', code.toLowerCase().replace(/[^a-z0-9]/g, ''), 'base64')
}
