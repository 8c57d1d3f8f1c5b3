/** `DELETE /v3/{domain}/envelopes`: cancels all waiting mail of a domain. */
import { cancelWaiting } from '../../../operate/emails.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { ownDomain } from '../own-domain.ts'
import { OF_DOMAIN } from '../schemas.ts'

const clear = endpoint({
  method: 'DELETE',
  url: '/v3/:domain/envelopes',
  operation: 'form_envelopes_clear',
  access: 'management',
  schema: {
    operationId: 'formClearEnvelopes',
    summary: 'Cancel all waiting mail of a domain, including scheduled mail',
    params: OF_DOMAIN,
    response: {
      200: {
        type: 'object',
        properties: {
          message: { type: 'string' },
          canceled: { type: 'integer', description: 'Recipients.' },
        },
      },
    },
  },
})(async ({ caller, params }, core) => {
  const { id } = await ownDomain(core, caller, params.domain)
  const canceled = await cancelWaiting(await currentOperation(core, caller), { domain: id })
  return { status: 200, body: { message: 'done', canceled } }
})

export const envelopeRoutes: readonly Endpoint[] = [clear]
