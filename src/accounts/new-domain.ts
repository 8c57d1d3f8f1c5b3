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
import { makeDkimKey } from './key-making.ts'
import { dkimContext, type Seal } from './seal.ts'

export interface NewDomain {
  companyId: string
  /** Unicode or punycode. */
  name: string
  seal: Seal
  /** Adds an Ed25519 key (RFC 8463) beside the RSA one; receivers that do not support it use the other. */
  ed25519: boolean
  /** Ids of other domains of the company; default: none. */
  speaksFor?: string[]
  /** Unix ms; default: now. */
  createdAt?: number
}

/**
 * A sending domain with fresh DKIM keys, not yet stored, not yet verified, not sending. The selectors carry the date,
 * so that a later key can be published beside these (RFC 6376 3.1). Throws AddressError when the name is not a domain
 * name.
 */
export async function newDomain(request: NewDomain): Promise<SendingDomain> {
  const { companyId, seal, ed25519, speaksFor = [], createdAt = Date.now() } = request
  const name = parseDomain(request.name)
  const selector = datedSelector(createdAt)
  const identity = async (algorithm: DkimAlgorithm, selector: string) =>
    dkimIdentity({ selector, key: await makeDkimKey(companyId, algorithm), active: true, seal })
  const dkim = [identity('rsa-sha256', selector)]
  if (ed25519) dkim.push(identity('ed25519-sha256', `${selector}e`))
  return {
    id: randomUUIDv7(),
    companyId,
    name,
    status: 'pending',
    sending: 'inactive',
    createdAt,
    settings: DOMAIN_SETTINGS,
    seen: {},
    returnPathHost: null,
    lostSince: null,
    dkim: await Promise.all(dkim),
    speaksFor,
  }
}

/** @param at Unix ms */
export function datedSelector(at: number): string {
  return `pr${utcDay(at).replaceAll('-', '')}`
}

export interface NewDkimIdentity {
  selector: string
  key: DkimKey
  active: boolean
  seal: Seal
  rotation?: DkimRotation
}

export function dkimIdentity({ selector, key, active, seal, rotation }: NewDkimIdentity): DkimIdentity {
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
    rotation: rotation ?? null,
    seen: null,
  }
}
