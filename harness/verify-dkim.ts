/** Verifies DKIM signatures (RFC 6376, RFC 8463) with mailauth, an independent implementation, against the keys that a domain publishes. */
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import type { SendingDomain } from '../src/accounts/account.ts'

/** TXT values by owner name, e.g. `s1._domainkey.acme.test`. */
export type PublishedKeys = ReadonlyMap<string, string>

/** A DNS record as `domain add` and `domain show` print it. */
export interface PrintedRecord {
  type: string
  name: string
  value: string
  /** Of an MX record. */
  preference?: number | null
}

export interface SignatureCheck {
  domain: string
  selector: string
  /** RFC 8601 word: pass, fail, neutral, permerror, ... */
  result: string
  /** Why it did not pass, as mailauth says; empty when it did. */
  reason: string
}

export interface DkimCheck {
  /** There is at least one signature and every one passes. */
  pass: boolean
  signatures: SignatureCheck[]
}

/** The DKIM records of these domains, made from their stored public keys. */
export function keysOfDomains(domains: Pick<SendingDomain, 'name' | 'dkim'>[]): PublishedKeys {
  const keys = new Map<string, string>()
  for (const { name, dkim } of domains) {
    for (const { selector, algorithm, publicKey } of dkim) {
      const type = algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'
      keys.set(`${selector}._domainkey.${name}`, `v=DKIM1; k=${type}; p=${publicKey}`)
    }
  }
  return keys
}

/** The DKIM records among those that `domain add` or `domain show` print. */
export function keysOfRecords(records: PrintedRecord[]): PublishedKeys {
  const keys = records.filter(({ type, name }) => type === 'TXT' && name.includes('._domainkey.'))
  return new Map(keys.map(({ name, value }) => [name.replace(/\.$/, '').toLowerCase(), value]))
}

export async function verifyDkim(raw: Uint8Array, keys: PublishedKeys): Promise<DkimCheck> {
  const resolver = async (name: string, type: string) => {
    const value = type === 'TXT' ? keys.get(name.toLowerCase()) : undefined
    if (value === undefined)
      throw Object.assign(new Error(`no ${type} record at ${name}`), { code: 'ENOTFOUND' })
    return [[value]]
  }
  const { results } = await dkimVerify(Buffer.from(raw), { resolver })
  const signatures = results
    .filter((result) => result.selector)
    .map((result) => ({
      domain: result.signingDomain,
      selector: result.selector ?? '',
      result: result.status.result,
      reason: result.status.result === 'pass' ? '' : (result.status.comment ?? result.info),
    }))
  return {
    pass: signatures.length > 0 && signatures.every(({ result }) => result === 'pass'),
    signatures,
  }
}
