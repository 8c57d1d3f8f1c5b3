/** `DELETE /v3/{domain}/envelopes`: cancels all waiting mail of a domain. */
import { cancelWaiting } from '../../../operate/emails.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { ownDomain } from '../own-domain.ts'

const clear = route('DELETE /v3/:domain/envelopes', {
  operation: 'form_envelopes_clear',
  access: 'management',
  operationId: 'formClearEnvelopes',
  summary: 'Cancel all waiting mail of a domain, including scheduled mail',
  answer: {
    type: 'object',
    properties: {
      message: { type: 'string' },
      canceled: { type: 'integer', description: 'Recipients.' },
    },
  },
})(async ({ caller, params }, core) => {
  const { id } = await ownDomain(core, caller, params.domain)
  const canceled = await cancelWaiting(await currentOperation(core, caller), { domain: id })
  return { message: 'done', canceled }
})

export const envelopeRoutes: readonly Endpoint[] = [clear]
