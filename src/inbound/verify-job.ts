/** Verifies the DKIM signatures of a mail (RFC 6376) against keys that were looked up, in a worker. */
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { asBuffer } from '../workers/job.ts'

export interface SignatureCheck {
  raw: Uint8Array
  /** The records of keys by their lower-case names; other signatures do not count. */
  keys: ReadonlyMap<string, readonly string[]>
}

/** RFC 8301 3.2. */
const LEAST_BITS = 1_024

/** The domains with a valid signature, in lower case. */
export default async function verify({ raw, keys }: SignatureCheck): Promise<string[]> {
  const resolver = (name: string) => {
    const records = keys.get(name.toLowerCase())
    if (records !== undefined) return Promise.resolve(records.map((record) => [record]))
    return Promise.reject(Object.assign(new Error('not looked up'), { code: 'ENOTFOUND' }))
  }
  const { results } = await dkimVerify(asBuffer(raw), { resolver, minBitLength: LEAST_BITS })
  const valid = results.filter(({ status }) => status.result === 'pass')
  return valid.map(({ signingDomain }) => signingDomain.toLowerCase())
}
