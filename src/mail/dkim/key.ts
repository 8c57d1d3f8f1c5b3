/** DKIM keys and the DNS records that publish them (RFC 6376 3.6.1, RFC 8463 4). */

import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { excerpt } from '../excerpt.ts'

export type DkimKeyAlgorithm = 'rsa-sha256' | 'ed25519-sha256'

export interface DkimKey {
  algorithm: DkimKeyAlgorithm
  privateKey: KeyObject
  /** Base64, as in the `p=` tag. */
  publicKey: string
}

const generate = promisify(generateKeyPair)

/**
 * A new key pair. RSA has 2048 bits: RFC 8301 3.2 asks signers for at least that, and the record still fits one DNS
 * answer over UDP, which 4096 bits do not. Takes some hundred milliseconds for RSA, off the event loop.
 */
export async function generateDkimKey(algorithm: DkimKeyAlgorithm): Promise<DkimKey> {
  const { privateKey, publicKey } =
    algorithm === 'rsa-sha256'
      ? await generate('rsa', { modulusLength: 2048 })
      : await generate('ed25519', undefined)
  return { algorithm, privateKey, publicKey: publicKeyTag(publicKey) }
}

/** The `p=` value that belongs to a private (or public) key. Throws when it is neither RSA nor Ed25519. */
export function dkimPublicKey(key: KeyObject): string {
  return publicKeyTag(key.type === 'private' ? createPublicKey(key) : key)
}

function publicKeyTag(key: KeyObject): string {
  // RSA is published as SubjectPublicKeyInfo, Ed25519 as the bare 32 octets (RFC 8463 4).
  if (key.asymmetricKeyType === 'rsa') return key.export({ type: 'spki', format: 'der' }).toString('base64')
  if (key.asymmetricKeyType === 'ed25519') {
    return Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url').toString('base64')
  }
  throw new TypeError(`A DKIM key is RSA or Ed25519, not ${key.asymmetricKeyType}.`)
}

/**
 * The value of the TXT record at `<selector>._domainkey.<domain>`. An RSA record is longer than the 255 octets of one
 * character-string, so it is published as several that are read as one (RFC 6376 3.6.2.2).
 */
export function dkimRecord(algorithm: DkimKeyAlgorithm, publicKey: string): string {
  return `v=DKIM1; k=${algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'}; p=${publicKey}`
}

export interface DkimRecord {
  /** `rsa`, `ed25519`, or another type that the record names. */
  keyType: string
  /** Base64 without white space; empty when the key is revoked (RFC 6376 3.6.1). */
  publicKey: string
  /** Hash algorithms the key may be used with; empty means any. */
  hashes: string[]
  /** Services that the key may be used for: `email`, or `*` for all; empty means any. */
  services: string[]
  /** Flag `y`: the domain is only testing, and receivers treat its mail as unsigned. */
  testing: boolean
  /** Flag `s`: the domain in i= of a signature is that of d=, not one below it. */
  exact: boolean
}

/** A fault in a key record; the message is for the domain's owner, who published it. */
export class DkimRecordError extends Error {
  override name = 'DkimRecordError'
}

/**
 * Reads a key record. `text` is the TXT value: its character-strings joined without a separator. Throws DkimRecordError
 * when a verifier would have to ignore it.
 */
export function parseDkimRecord(text: string): DkimRecord {
  const tags = new Map<string, string>()
  for (const [index, part] of text.split(';').entries()) {
    const spec = part.trim()
    if (spec === '') continue
    const equals = spec.indexOf('=')
    const name = spec.slice(0, Math.max(equals, 0)).trim()
    if (!/^[A-Za-z]\w*$/.test(name)) {
      throw new DkimRecordError(`"${excerpt(spec)}" in the record is not of the form tag=value.`)
    }
    // RFC 6376 3.2: a tag named twice makes the whole list invalid.
    if (tags.has(name)) throw new DkimRecordError(`The tag ${name}= occurs more than once.`)
    if (name === 'v' && index > 0) throw new DkimRecordError('The tag v= is not the first of the record.')
    tags.set(name, spec.slice(equals + 1).trim())
  }
  const version = tags.get('v') ?? 'DKIM1'
  if (version !== 'DKIM1')
    throw new DkimRecordError(`The version is "${excerpt(version)}", it must be DKIM1.`)
  const publicKey = tags.get('p')?.replace(/\s+/g, '')
  if (publicKey === undefined) throw new DkimRecordError('The record has no public key (tag p=).')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(publicKey))
    throw new DkimRecordError('The public key (tag p=) is not base64.')
  const list = (value: string | undefined) =>
    value === undefined ? [] : value.split(':').map((v) => v.trim())
  return {
    keyType: tags.get('k') ?? 'rsa',
    publicKey,
    hashes: list(tags.get('h')),
    services: list(tags.get('s')),
    testing: list(tags.get('t')).includes('y'),
    exact: list(tags.get('t')).includes('s'),
  }
}
