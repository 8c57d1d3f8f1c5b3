/** Secrets of webhooks: generating, sealing, and choosing the ones that sign. */
import { randomBytes } from 'node:crypto'
import type { Seal } from '../../accounts/seal.ts'
import type { WebhookDialect } from '../../store/store.ts'

/** How long the previous secret still signs. */
const OVERLAP_MS = 24 * 3_600_000
export const SECRET_PREFIX = 'whsec_'
const SECRET_OCTETS = 24

const OWN_SECRETS: Readonly<Record<WebhookDialect, boolean>> = { json: true, form: false }

/** Whether each webhook of a dialect has a secret; if not, the signing key of the company signs. */
export function hasOwnSecret(dialect: WebhookDialect): boolean {
  return OWN_SECRETS[dialect]
}

/** A new secret of the JSON dialect: `whsec_` and 24 octets in base64 (Standard Webhooks, "Signature scheme"). */
export function newWebhookSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_OCTETS).toString('base64')}`
}

/** A secret that is derived and not stored: the same for the same purpose. */
export function derivedWebhookSecret(seal: Pick<Seal, 'derive'>, purpose: string): string {
  return `${SECRET_PREFIX}${seal.derive(purpose).subarray(0, SECRET_OCTETS).toString('base64')}`
}

/** A new signing key of the form dialect. */
export function newSigningKey(): string {
  return randomBytes(16).toString('hex')
}

/** The secrets of a webhook that sign now. */
export function signingSecrets<Secret>(
  newest: Secret,
  previous: Secret | null,
  rotatedAt: number | null,
  now: number,
): Secret[] {
  const both = previous !== null && rotatedAt !== null && now < rotatedAt + OVERLAP_MS
  return both ? [newest, previous] : [newest]
}

export function sealWebhookSecret(seal: Seal, webhookId: string, secret: string): Uint8Array {
  return seal.seal(Buffer.from(secret), `webhook:${webhookId}`)
}

/** Throws SealError. */
export function openWebhookSecret(seal: Seal, webhookId: string, sealed: Uint8Array): string {
  return seal.open(sealed, `webhook:${webhookId}`).toString()
}

/** Seals the signing key of a company for webhooks of the form dialect. */
export function sealSigningKey(seal: Seal, companyId: string, key: string): Uint8Array {
  return seal.seal(Buffer.from(key), `signing-key:${companyId}`)
}

/** Throws SealError. */
export function openSigningKey(seal: Seal, companyId: string, sealed: Uint8Array): string {
  return seal.open(sealed, `signing-key:${companyId}`).toString()
}
