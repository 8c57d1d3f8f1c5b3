import { randomUUIDv7 } from 'node:crypto'
import { utcDay } from '../common/utc-day.ts'
import { parseDomain } from '../mail/address/address.ts'
import type { DkimKey } from '../mail/dkim/key.ts'
import {
  type DkimAlgorithm,
  type DkimIdentity,
  type DkimRotation,
  DOMAIN_SETTINGS,
  type SendingDomain,
} from './account.ts'
import { delegatedSelectors } from './dkim-delegation.ts'
import { makeDkimKey } from './key-making.ts'
import { dkimContext, type Seal } from './seal.ts'

interface NewDomain {
  companyId: string
  /** Unicode or punycode. */
  name: string
  seal: Seal
  /** Adds an Ed25519 key (RFC 8463) beside the RSA one; receivers that do not support it use the other. */
  ed25519: boolean
  /** Its DKIM keys are published in the operator's zone; default: at the domain. */
  delegated?: boolean
  /** Ids of other domains of the company; default: none. */
  speaksFor?: string[]
  /** Unix ms; default: now. */
  createdAt?: number
}

/**
 * A sending domain with fresh DKIM keys, not yet stored, not yet verified, not sending. The selectors of keys that are
 * not delegated carry the date, so that a later key can be published beside these (RFC 6376 3.1). Throws AddressError
 * when the name is not a domain name.
 */
export async function newDomain(request: NewDomain): Promise<SendingDomain> {
  const { companyId, seal, ed25519, delegated = false, speaksFor = [], createdAt = Date.now() } = request
  const name = parseDomain(request.name)
  const algorithms: DkimAlgorithm[] = ed25519 ? ['rsa-sha256', 'ed25519-sha256'] : ['rsa-sha256']
  const dkim = algorithms.flatMap((algorithm) => {
    const selectors = delegated ? delegatedSelectors(algorithm) : [datedSelector(createdAt, algorithm)]
    return selectors.map(async (selector, index) => {
      const key = await makeDkimKey(companyId, algorithm)
      const active = index === 0
      return dkimIdentity({ selector, key, active, seal, delegated, activeSince: active ? createdAt : null })
    })
  })
  return {
    id: randomUUIDv7(),
    companyId,
    name,
    status: 'pending',
    sending: 'inactive',
    createdAt,
    settings: delegated ? { ...DOMAIN_SETTINGS, dkimDelegated: true } : DOMAIN_SETTINGS,
    seen: {},
    returnPathHost: null,
    lostSince: null,
    dkim: await Promise.all(dkim),
    speaksFor,
  }
}

/** @param at Unix ms */
export function datedSelector(at: number, algorithm: DkimAlgorithm): string {
  const date = utcDay(at).replaceAll('-', '')
  return `pr${date}${algorithm === 'ed25519-sha256' ? 'e' : ''}`
}

interface NewDkimIdentity {
  selector: string
  key: DkimKey
  active: boolean
  seal: Seal
  rotation?: DkimRotation
  /** Default: false. */
  delegated?: boolean
  activeSince?: number | null
}

export function dkimIdentity(request: NewDkimIdentity): DkimIdentity {
  const { selector, key, active, seal, rotation = null, delegated = false, activeSince = null } = request
  const id = randomUUIDv7()
  const { algorithm, privateKey, publicKey } = key
  const der = privateKey.export({ type: 'pkcs8', format: 'der' })
  const sealedPrivateKey = seal.seal(der, dkimContext(id))
  return {
    id,
    selector,
    algorithm,
    active,
    publicKey,
    sealedPrivateKey,
    rotation,
    seen: null,
    seenSince: null,
    delegated,
    activeSince,
  }
}
