/**
 * The DKIM keys of a sending domain, one by one. `dkim-rotation.ts` replaces a key in steps.
 */
import { createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { type DkimIdentity, MAX_DKIM_KEYS, type SendingDomain } from '../accounts/account.ts'
import { makeDkimKey } from '../accounts/key-making.ts'
import { dkimIdentity } from '../accounts/new-domain.ts'
import { type DkimKey, dkimPublicKey } from '../mail/dkim/key.ts'
import { signInPool } from '../mail/dkim/signature.ts'
import type { Audit } from './audit-trail.ts'
import { refuseLackingRecord, refuseLastGood } from './dkim-guard.ts'
import { OperateError, unlessTaken } from './error.ts'
import { findDomain } from './find.ts'
import { type Operation, verb } from './verb.ts'

/** RFC 8301 3.2: signers must not use shorter keys. */
const LEAST_BITS = 2048
const MAX_BITS = 4096
/** RFC 6376 3.1: a selector consists of labels of a domain name. */
const SELECTOR = /^(?=.{1,63}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/

export interface OneDkimKey {
  /** Name or id. */
  domain: string
  selector: string
}

/** `force`: makes the change without asking DNS whether it does harm. */
interface ForceOption {
  force?: boolean
}

export interface NewDkimKeyInput extends OneDkimKey {
  /** A private key in PEM, RSA or Ed25519; absent: an RSA key is generated. */
  pem?: string | undefined
}

/** Mail is signed with the key only once it is activated, because its record has to be published first. */
export const addDkimKey = verb(
  'manage',
  async (op, input: NewDkimKeyInput): Promise<SendingDomain> => {
    const domain = findDomain(op, input.domain)
    const selector = checkedSelector(input.selector)
    if (domain.dkim.length >= MAX_DKIM_KEYS) {
      throw new OperateError(
        'conflict',
        `${domain.name} has ${MAX_DKIM_KEYS} DKIM keys, which is the maximum`,
      )
    }
    const key =
      input.pem === undefined ? await makeDkimKey(domain.companyId, 'rsa-sha256') : await keyOf(input.pem)
    const identity = dkimIdentity({ selector, key, active: false, seal: await op.seal() })
    await unlessTaken(op.store.addDkimKey(domain.id, identity), { noun: 'domain', name: domain.name })
    return { ...domain, dkim: [...domain.dkim, identity] }
  },
  dkimAudit('addDkimKey'),
)

/**
 * Turns signing with a key on or off. The last active key stays active. Without `force` a key that DNS lacks is not
 * turned on, and the last one that DNS has is not turned off.
 */
export const switchDkimKey = verb(
  'manage',
  async (op, input: OneDkimKey & ForceOption & { active: boolean }): Promise<SendingDomain> => {
    const { active } = input
    const domain = findDomain(op, input.domain)
    const key = keyNamed(domain, input.selector)
    const others = signingBeside(domain, key)
    if (!input.force && active && !key.active) await refuseLackingRecord(op, domain, key, [...others, key])
    if (!input.force && !active && key.active && others.length > 0) {
      await refuseLastGood(op, domain, key, others)
    }
    if (!(await op.store.updateDkimKey(key.id, { active, activeSince: active ? op.now() : null })))
      throw lastKey(domain)
    await checkSoon(op, domain)
    return withKey(domain, { ...key, active, rotation: active ? null : key.rotation })
  },
  dkimAudit('switchDkimKey'),
)

/**
 * Renames the selector of a key. From then on mail is signed under the new selector, so its record has to be published
 * before, and the old record left in DNS for a while. Without `force`, DNS must have the new record if the key signs.
 */
export const renameDkimKey = verb(
  'manage',
  async (op, input: OneDkimKey & ForceOption & { to: string }): Promise<SendingDomain> => {
    const domain = findDomain(op, input.domain)
    const key = keyNamed(domain, input.selector)
    const selector = checkedSelector(input.to)
    if (key.delegated) throw fixedSelector(domain, key)
    const renamed = { ...key, selector, seen: null }
    if (!input.force && key.active && selector !== key.selector) {
      await refuseLackingRecord(op, domain, renamed, [...signingBeside(domain, key), renamed])
    }
    const about = { noun: 'domain', name: domain.name } as const
    await unlessTaken(op.store.updateDkimKey(key.id, { selector }), about)
    await checkSoon(op, domain)
    return withKey(domain, renamed)
  },
  dkimAudit('renameDkimKey'),
)

/** Removes a key for good, under the conditions for turning it off. */
export const removeDkimKey = verb(
  'manage',
  async (op, input: OneDkimKey & ForceOption): Promise<SendingDomain> => {
    const domain = findDomain(op, input.domain)
    const key = keyNamed(domain, input.selector)
    const others = signingBeside(domain, key)
    if (!input.force && key.active && others.length > 0) await refuseLastGood(op, domain, key, others)
    if (!(await op.store.removeDkimKey(key.id))) throw lastKey(domain)
    await checkSoon(op, domain)
    return { ...domain, dkim: domain.dkim.filter(({ id }) => id !== key.id) }
  },
  dkimAudit('removeDkimKey'),
)

function signingBeside({ dkim }: SendingDomain, key: DkimIdentity): DkimIdentity[] {
  return dkim.filter(({ id, active }) => active && id !== key.id)
}

/** Makes the next DNS check due, because the domain needs different records now. */
async function checkSoon(op: Operation, { id }: SendingDomain): Promise<void> {
  await op.store.noteDomainCheck(id, { dueAt: op.now() })
}

/** Audit entries of DKIM keys, without private keys. */
function dkimAudit(
  action: string,
): Audit<OneDkimKey & ForceOption & { to?: string; active?: boolean }, SendingDomain> {
  return {
    action,
    note({ domain, selector, to, active }, changed) {
      const detail = { selector, to, active }
      if (changed === null) return { target: domain, detail }
      return { target: changed.name, companyId: changed.companyId, detail }
    },
  }
}

function withKey(domain: SendingDomain, key: DkimIdentity): SendingDomain {
  return { ...domain, dkim: domain.dkim.map((each) => (each.id === key.id ? key : each)) }
}

function keyNamed(domain: SendingDomain, selector: string): DkimIdentity {
  const found = domain.dkim.find((key) => key.selector === selector.toLowerCase())
  if (found !== undefined) return found
  throw new OperateError('not_found', `${domain.name} has no DKIM key with the selector "${selector}"`)
}

function fixedSelector({ name }: SendingDomain, { selector }: DkimIdentity): OperateError {
  const message = `the selector of ${selector} stays: ${name} has a CNAME record for it`
  return new OperateError('conflict', message)
}

function lastKey({ name }: SendingDomain): OperateError {
  const message = `it is the only key that signs mail from ${name}; activate another key first`
  return new OperateError('conflict', message)
}

function checkedSelector(text: string): string {
  const selector = text.toLowerCase()
  if (SELECTOR.test(selector)) return selector
  throw new OperateError(
    'invalid',
    `"${text}" is not a selector: use letters, digits and hyphens, such as s1`,
  )
}

/** The key, after a trial signature: a PEM file that can be read may still hold numbers that do not form a pair. */
async function keyOf(pem: string): Promise<DkimKey> {
  const key = asDkimKey(readPem(pem))
  const data = Buffer.from('a trial')
  try {
    const signature = Buffer.from(await signInPool(key, data), 'base64')
    if (
      key.algorithm === 'ed25519-sha256' ||
      verify('sha256', data, createPublicKey(key.privateKey), signature)
    ) {
      return key
    }
  } catch {
    // OpenSSL itself rejects some of these keys.
  }
  throw new OperateError('invalid', 'the key in pem cannot sign')
}

function asDkimKey(privateKey: KeyObject): DkimKey {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = privateKey
  if (type === 'ed25519') {
    return { algorithm: 'ed25519-sha256', privateKey, publicKey: dkimPublicKey(privateKey) }
  }
  if (type !== 'rsa') throw new OperateError('invalid', `a DKIM key is RSA or Ed25519, not ${type}`)
  const bits = details?.modulusLength ?? 0
  if (bits < LEAST_BITS || bits > MAX_BITS) {
    throw new OperateError(
      'invalid',
      `the RSA key has ${bits} bits; ${LEAST_BITS} to ${MAX_BITS} are accepted`,
    )
  }
  return { algorithm: 'rsa-sha256', privateKey, publicKey: dkimPublicKey(privateKey) }
}

function readPem(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (error) {
    throw new OperateError('invalid', 'pem does not contain a readable private key', null, { cause: error })
  }
}
