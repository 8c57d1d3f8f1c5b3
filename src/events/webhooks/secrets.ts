/** Secrets of webhooks at rest. */
import type { Seal } from '../../accounts/seal.ts'

export function sealWebhookSecret(seal: Seal, webhookId: string, secret: string): Uint8Array {
  return seal.seal(Buffer.from(secret), `webhook:${webhookId}`)
}

/** Throws SealBroken. */
export function openWebhookSecret(seal: Seal, webhookId: string, sealed: Uint8Array): string {
  return seal.open(sealed, `webhook:${webhookId}`).toString()
}

/** What a company signs webhooks of the form dialect with. */
export function sealSigningKey(seal: Seal, companyId: string, key: string): Uint8Array {
  return seal.seal(Buffer.from(key), `signing-key:${companyId}`)
}

/** Throws SealBroken. */
export function openSigningKey(seal: Seal, companyId: string, sealed: Uint8Array): string {
  return seal.open(sealed, `signing-key:${companyId}`).toString()
}
