/**
 * The keys that sign webhook messages: a secret for each webhook or, in the form dialect, the signing key of the
 * company.
 */
import type { Company } from '../accounts/account.ts'
import {
  hasOwnSecret,
  newSigningKey,
  newWebhookSecret,
  openSigningKey,
  openWebhookSecret,
  sealSigningKey,
  sealWebhookSecret,
  signingSecrets,
} from '../events/webhooks/secrets.ts'
import type { Webhook } from '../store/store.ts'
import { OperateError } from './error.ts'
import { findWholeCompany } from './find.ts'
import { type Operation, verb } from './verb.ts'
import { findWebhook, type OwnedWebhook, webhookNote } from './webhook-find.ts'

export { hasOwnSecret }

/** For a day, the previous secret also signs, so that receivers can switch over. */
export const rotateWebhookSecret = verb(
  'manage',
  async (op, { id }: { id: string }): Promise<OwnedWebhook & { secret: string }> => {
    const { webhook } = await findWebhook(op, id)
    if (!hasOwnSecret(webhook.dialect)) {
      throw new OperateError(
        'invalid',
        `a webhook of the ${webhook.dialect} dialect is signed with the signing key of its company`,
      )
    }
    const secret = newWebhookSecret()
    const sealed = sealWebhookSecret(await op.seal(), id, secret)
    await op.store.updateWebhook(id, { secret: sealed, previousSecret: webhook.secret, rotatedAt: op.now() })
    return { ...(await findWebhook(op, id)), secret }
  },
  { action: 'rotateWebhookSecret', note: webhookNote },
)

/**
 * The key that signs the webhook's messages: its newest secret or, in the form dialect, the signing key of its company.
 */
export const showWebhookSecret = verb(
  'manage',
  async (op, { id }: { id: string }): Promise<OwnedWebhook & { secret: string }> => {
    const found = await findWebhook(op, id)
    const [secret] = await secretsOf(op, found.webhook)
    return { ...found, secret: secret! }
  },
  null,
)

/** The key that signs a company's webhooks in the form dialect; generated on first use. */
export const showSigningKey = verb(
  'manage',
  async (op, input: { company: string }): Promise<{ company: Company; key: string }> => {
    const company = findWholeCompany(op, input.company)
    return { company, key: await signingKeyOf(op, company.id) }
  },
  null,
)

/** The new key replaces the old one at once, because that dialect has no place for two signatures. */
export const rotateSigningKey = verb(
  'manage',
  async (op, input: { company: string }): Promise<{ company: Company; key: string }> => {
    const company = findWholeCompany(op, input.company)
    const key = newSigningKey()
    await op.store.setSigningKey(company.id, sealSigningKey(await op.seal(), company.id, key), true)
    return { company, key }
  },
  {
    action: 'rotateSigningKey',
    note: ({ company }, result) => ({ target: result?.company.name ?? company }),
  },
)

/** The signing key for the form dialect; generated on first use. */
export async function signingKeyOf(op: Operation, companyId: string): Promise<string> {
  const seal = await op.seal()
  const known = await op.store.signingKey(companyId)
  if (known !== null) return openSigningKey(seal, companyId, known)
  const made = sealSigningKey(seal, companyId, newSigningKey())
  return openSigningKey(seal, companyId, await op.store.setSigningKey(companyId, made, false))
}

/** The secrets that sign now, newest first. */
export async function secretsOf(op: Operation, webhook: Webhook): Promise<string[]> {
  const { id, companyId, dialect, secret, previousSecret, rotatedAt } = webhook
  if (!hasOwnSecret(dialect)) return [await signingKeyOf(op, companyId)]
  const seal = await op.seal()
  return signingSecrets(secret, previousSecret, rotatedAt, op.now()).map((each) =>
    openWebhookSecret(seal, id, each),
  )
}
