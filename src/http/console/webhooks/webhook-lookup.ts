/** Look-up of the webhook in a path. */
import type { Operation } from '../../../operate/verb.ts'
import { noSuchWebhook, type OwnedWebhook } from '../../../operate/webhook-find.ts'
import { showWebhook } from '../../../operate/webhooks.ts'

/** Throws `not_found`: a webhook of another company than the path's does not exist, for operators too. */
export async function companyWebhook(
  op: Operation,
  company: string | null,
  id: string,
): Promise<OwnedWebhook> {
  const owned = await showWebhook(op, { id })
  if (company !== null && owned.company.id !== company) throw noSuchWebhook(id)
  return owned
}
