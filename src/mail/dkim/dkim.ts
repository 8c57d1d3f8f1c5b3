/** DKIM signatures (RFC 6376, with Ed25519 by RFC 8463 and the algorithm rules of RFC 8301). */
import type { KeyObject } from 'node:crypto'
import { relaxedBodyHash } from './body-hash.ts'
import type { DkimKeyAlgorithm } from './key.ts'
import { type Signer, signInPool } from './signature.ts'
import { headerFields, relaxField, selectFields } from './signed-fields.ts'

export {
  type DkimKey,
  type DkimKeyAlgorithm,
  type DkimRecord,
  DkimRecordError,
  dkimPublicKey,
  dkimRecord,
  generateDkimKey,
  parseDkimRecord,
} from './key.ts'

/** A key for signatures. */
export interface SigningKeyLike {
  /** Signing domain (`d=`) as A-label. */
  domain: string
  selector: string
  algorithm: DkimKeyAlgorithm
  /** Parsed once: handing PEM to every signature would cost twice the signature itself. */
  privateKey: KeyObject
}

const FOLD_AT = 76

/**
 * Signs a message and returns the DKIM-Signature fields to put in front of its header: one for each key, in the order
 * of the keys, folded, each ended by CRLF. No keys, no fields.
 *
 * `header` is the header block with CRLF line ends, with or without the empty line after it; `body` is everything after
 * that line, whole or in consecutive pieces. `at` (Unix seconds) becomes the `t=` tag; given the same input the RSA and
 * Ed25519 signatures are the same bytes each time. There is no expiry (`x=`), because a message may wait for days at a
 * relay.
 *
 * Signing runs in the thread pool unless a `signer` is given. `relaxed`: the body is known to be its own canonical
 * form. Throws TypeError when a key does not fit its algorithm or names no valid domain.
 */
export async function signMessage(
  header: Buffer,
  body: Buffer | readonly Buffer[],
  keys: readonly SigningKeyLike[],
  options: { at: number; signer?: Signer; relaxed?: boolean },
): Promise<Buffer> {
  if (keys.length === 0) return Buffer.alloc(0)
  for (const key of keys) {
    if (checked.has(key)) continue
    checkKey(key)
    checked.add(key)
  }
  const sign = options.signer ?? signInPool
  const bodyHash = await relaxedBodyHash(body, options.relaxed)
  const { names, canonical } = selectFields(headerFields(header))
  const signed = await Promise.all(
    keys.map(async (key) => {
      const unsigned = signatureField(key, names, bodyHash, options.at)
      // The signature covers its own field with an empty b= and without the final CRLF (RFC 6376 3.7).
      const data = Buffer.from(canonical + relaxField(unsigned), 'latin1')
      return `${unsigned}${foldBase64(await sign(key, data))}\r\n`
    }),
  )
  return Buffer.from(signed.join(''), 'latin1')
}

/** Keys that were checked and are valid. */
const checked = new WeakSet<SigningKeyLike>()

function checkKey({ domain, selector, algorithm, privateKey }: SigningKeyLike): void {
  if (!/^[A-Za-z0-9.-]+$/.test(domain)) throw new TypeError(`"${domain}" is not a domain in A-label form.`)
  if (!/^[A-Za-z0-9._-]+$/.test(selector)) throw new TypeError(`"${selector}" is not a DKIM selector.`)
  const expected = algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'
  if (privateKey.asymmetricKeyType !== expected) {
    throw new TypeError(
      `The key ${selector} of ${domain} is ${privateKey.asymmetricKeyType}, not ${expected}.`,
    )
  }
}

/** The field up to and including `b=`. */
function signatureField(key: SigningKeyLike, names: string[], bodyHash: string, at: number): string {
  let field = `DKIM-Signature: v=1; a=${key.algorithm}; c=relaxed/relaxed;\r\n`
  field += ` d=${key.domain}; s=${key.selector}; t=${Math.floor(at)};\r\n`
  let line = ` h=${names[0]}`
  for (const name of names.slice(1)) {
    // White space is allowed around the colons of h= (RFC 6376 3.5), so that is where it folds.
    if (line.length + name.length + 2 > FOLD_AT) {
      field += `${line}:\r\n`
      line = `  ${name}`
    } else line += `:${name}`
  }
  return `${field}${line};\r\n bh=${bodyHash};\r\n b=`
}

/** White space within b= is ignored (RFC 6376 3.5). */
function foldBase64(text: string): string {
  const lines = [text.slice(0, FOLD_AT - 3)]
  for (let at = FOLD_AT - 3; at < text.length; at += FOLD_AT - 2) lines.push(text.slice(at, at + FOLD_AT - 2))
  return lines.join('\r\n  ')
}
