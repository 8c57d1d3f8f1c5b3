/** Verifies the DKIM signatures of a mail (RFC 6376) against keys that were looked up, in a worker. */
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { asBuffer } from '../workers/job.ts'
import { SIGNATURE_HASH } from './signature-key.ts'
import { signedMail } from './signed-mail.ts'

export interface SignatureCheck {
  raw: Uint8Array
  /** The records of keys by their lower-case names; other signatures do not count. */
  keys: ReadonlyMap<string, string>
  /** Lower-case names of the fields that a signature has to cover. */
  covering: readonly string[]
}

/** RFC 8301 3.2. */
const LEAST_BITS = 1_024

/** Fields that the types of the verifier leave out. */
interface SignatureResult {
  status: { result: string }
  signingDomain: string
  algo: string
  /** The names of the fields that it covers, as written, with `: ` between. */
  signingHeaders: { keys: string }
  /** True: it has l=, and covers the beginning of the body alone. */
  canonBodyLengthLimited: boolean
}

/** The domains with a valid signature over these fields and the whole body, in lower case. */
export default async function verify({ raw, keys, covering }: SignatureCheck): Promise<string[]> {
  const mail = signedMail(asBuffer(raw))
  if (mail === null) return []
  const results = await resultsOf(mail, keys)
  const proving = results.filter(({ status, algo, signingHeaders, canonBodyLengthLimited }) => {
    if (status.result !== 'pass' || canonBodyLengthLimited) return false
    const covered = signingHeaders.keys.toLowerCase().split(': ')
    return (
      algo.toLowerCase().endsWith(`-${SIGNATURE_HASH}`) && covering.every((name) => covered.includes(name))
    )
  })
  return proving.map(({ signingDomain }) => signingDomain.toLowerCase())
}

async function resultsOf(mail: Buffer, keys: SignatureCheck['keys']): Promise<SignatureResult[]> {
  const resolver = (name: string) => {
    const record = keys.get(name.toLowerCase())
    if (record !== undefined) return Promise.resolve([[record]])
    return Promise.reject(Object.assign(new Error('not looked up'), { code: 'ENOTFOUND' }))
  }
  try {
    const { results } = await dkimVerify(mail, { resolver, minBitLength: LEAST_BITS })
    return results as unknown as SignatureResult[]
  } catch (error) {
    // The verifier makes a date of t= and x= without looking at them.
    if (error instanceof RangeError) return []
    throw error
  }
}
