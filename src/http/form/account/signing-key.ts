/** `/v5/accounts/http_signing_key`: the key that signs the company's webhooks. */
import { rotateSigningKey, showSigningKey } from '../../../operate/webhook-secrets.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'

const URL = '/v5/accounts/http_signing_key'
const KEY = {
  type: 'object',
  required: ['message', 'http_signing_key'],
  properties: { message: { type: 'string' }, http_signing_key: { type: 'string' } },
} as const

const show = route(`GET ${URL}`, {
  operation: 'form_signing_key_read',
  access: 'management',
  operationId: 'formShowSigningKey',
  summary: 'Get the key that signs the webhooks of the company',
  answer: KEY,
})(async ({ caller }, core) => {
  const op = await currentOperation(core, caller)
  const { key } = await showSigningKey(op, { company: caller.companyId })
  return { message: 'success', http_signing_key: key }
})

const rotate = route(`POST ${URL}`, {
  operation: 'form_signing_key_rotate',
  access: 'management',
  operationId: 'formRotateSigningKey',
  summary: 'Replace the key that signs the webhooks of the company',
  answer: KEY,
})(async ({ caller }, core) => {
  const op = await currentOperation(core, caller)
  const { key } = await rotateSigningKey(op, { company: caller.companyId })
  return { message: 'success', http_signing_key: key }
})

export const signingKeyRoutes: readonly Endpoint[] = [show, rotate]
