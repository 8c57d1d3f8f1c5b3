/** The delivery settings of a domain (`connection`), and whether it sends (`sending_queues`). */

import { isYes } from '../../../ingress/message-form/yes-no.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { WORD } from '../../bounds.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { ownDomain } from '../own-domain.ts'

const URL = '/v3/domains/:domain/connection'
const TEXT = { type: 'string' } as const
const FLAG = { type: 'boolean' } as const
const FLAGS = { require_tls: FLAG, skip_verification: FLAG } as const

/** The same for every domain: only the operator configures delivery. */
const AS_SET = { require_tls: false, skip_verification: false } as const

const show = route(`GET ${URL}`, {
  operation: 'form_connection_read',
  access: 'reading',
  operationId: 'formShowConnection',
  summary: 'Get the TLS settings of a domain: TLS is never required for a single domain',
  answer: {
    type: 'object',
    properties: { ...FLAGS, connection: { type: 'object', properties: FLAGS } },
  },
})(async ({ caller, params }, core) => {
  await ownDomain(core, caller, params.domain)
  // Older and newer clients read the settings in different places.
  return { ...AS_SET, connection: AS_SET }
})

const update = route(`PUT ${URL}`, {
  operation: 'form_connection_update',
  access: 'management',
  operationId: 'formUpdateConnection',
  summary: 'Accept the present settings and refuse all others',
  body: { type: 'object', properties: { require_tls: WORD, skip_verification: WORD } },
  answer: { type: 'object', properties: { message: TEXT, ...FLAGS } },
})(async ({ caller, params, body }, core) => {
  await ownDomain(core, caller, params.domain)
  for (const [field, value] of Object.entries(body)) {
    if (value === '' || !isYes(field, value)) continue
    throw invalidField(field, 'this service has no such setting for a single domain; only false is accepted')
  }
  const message = 'Domain connection settings have been updated'
  return { message, ...AS_SET }
})

const QUEUE = {
  type: 'object',
  properties: {
    is_disabled: FLAG,
    disabled: { type: 'object', properties: { until: TEXT, reason: TEXT } },
  },
} as const

const queues = route('GET /v3/domains/:domain/sending_queues', {
  operation: 'form_queues_read',
  access: 'reading',
  operationId: 'formShowQueues',
  summary: 'Get whether mail of a domain is sent, now and later',
  answer: { type: 'object', properties: { regular: QUEUE, scheduled: QUEUE } },
})(async ({ caller, params }, core) => {
  const { sending } = await ownDomain(core, caller, params.domain)
  const reason =
    sending === 'suspended' ? 'The operator has suspended this domain' : 'This domain is not verified'
  const queue =
    sending === 'active' ? { is_disabled: false } : { is_disabled: true, disabled: { until: '', reason } }
  return { regular: queue, scheduled: queue }
})

export const connectionRoutes: readonly Endpoint[] = [show, update, queues]
