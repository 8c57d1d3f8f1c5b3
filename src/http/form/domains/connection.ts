/** The delivery settings of a domain (`connection`), and whether it sends (`sending_queues`). */

import { inactivityReason } from '../../../accounts/sending.ts'
import { isYes } from '../../../ingress/message-form/yes-no.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { updateDomain } from '../../../operate/domains.ts'
import { WORD } from '../../bounds.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { onOwnDomain, ownDomain } from '../own-domain.ts'
import { FLAG, TEXT } from '../schemas.ts'
import { tlsFlags } from './domain.ts'

const URL = '/v3/domains/:domain/connection'
const FLAGS = { require_tls: FLAG, skip_verification: FLAG } as const

const show = route(`GET ${URL}`, {
  operation: 'form_connection_read',
  access: 'reading',
  operationId: 'formShowConnection',
  summary: 'Get the TLS settings of a domain',
  answer: {
    type: 'object',
    properties: { ...FLAGS, connection: { type: 'object', properties: FLAGS } },
  },
})(async ({ caller, params }, core) => {
  const { settings } = await ownDomain(core, caller, params.domain)
  const flags = tlsFlags(settings)
  // Older and newer clients read the settings in different places.
  return { ...flags, connection: flags }
})

const update = route(`PUT ${URL}`, {
  operation: 'form_connection_update',
  access: 'management',
  operationId: 'formUpdateConnection',
  summary: 'Change the TLS settings of a domain',
  body: { type: 'object', properties: { require_tls: WORD, skip_verification: WORD } },
  answer: { type: 'object', properties: { message: TEXT, ...FLAGS } },
})(async ({ caller, params, body }, core) => {
  const { op, domain } = await onOwnDomain(core, caller, params.domain)
  const present = tlsFlags(domain.settings)
  const flag = (field: keyof typeof present, otherwise: boolean) =>
    body[field] ? isYes(field, body[field]) : otherwise
  const isRequired = flag('require_tls', present.require_tls)
  const skips = flag('skip_verification', isRequired && present.skip_verification)
  if (skips && !isRequired)
    throw invalidField('skip_verification', 'it has an effect only together with require_tls=yes')
  const tls = isRequired ? (skips ? 'required' : 'verified') : 'opportunistic'
  const updated = await updateDomain(op, { domain: domain.id, settings: { tls } })
  return { message: 'Domain connection settings have been updated', ...tlsFlags(updated.settings) }
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
  const reason = inactivityReason(await ownDomain(core, caller, params.domain))
  const queue =
    reason === null ? { is_disabled: false } : { is_disabled: true, disabled: { until: '', reason } }
  return { regular: queue, scheduled: queue }
})

export const connectionRoutes: readonly Endpoint[] = [show, update, queues]
