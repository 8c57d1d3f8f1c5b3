/** Look-up of the webhook in a path, and the operation on it. */
import type { Operation } from '../../../operate/verb.ts'
import { noSuchWebhook, type OwnedWebhook } from '../../../operate/webhook-find.ts'
import { showWebhook } from '../../../operate/webhooks.ts'
import type { HttpCore } from '../../core.ts'
import type { Asker } from '../../endpoint.ts'
import { currentOperationOf } from '../../operation.ts'

/** A webhook of another company than the path's does not exist, for operators too. */
export async function operationOnWebhook(
  core: HttpCore,
  { caller, company }: Asker<'company'>,
  id: string,
): Promise<{ op: Operation; owned: OwnedWebhook }> {
  const op = await currentOperationOf(core, caller)
  const owned = await showWebhook(op, { id })
  if (company !== null && owned.company.id !== company) throw noSuchWebhook(id)
  return { op, owned }
}
