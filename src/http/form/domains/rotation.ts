/** `/v1/dkim_management/domains/{domain}`: the rotation of DKIM keys that the operator publishes. */
import type { Principal, SendingDomain } from '../../../accounts/account.ts'
import { isDelegated } from '../../../accounts/dkim-delegation.ts'
import { dnsRecords } from '../../../accounts/dns-records.ts'
import { isYes } from '../../../ingress/message-form/yes-no.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { rotateDkimKey, rotatedEvery } from '../../../operate/dkim-rotation.ts'
import { updateDomain } from '../../../operate/domains.ts'
import { serviceNames } from '../../../operate/service-names.ts'
import type { Operation } from '../../../operate/verb.ts'
import { WORD } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { onOwnDomain } from '../own-domain.ts'
import { MESSAGE_ONLY, TEXT } from '../schemas.ts'
import { hoursOf } from '../stats/period.ts'

const URL = '/v1/dkim_management/domains/:domain'
const HOUR_MS = 3_600_000

const setRotation = route(`PUT ${URL}/rotation`, {
  operation: 'form_dkim_rotation_set',
  access: 'management',
  operationId: 'formSetRotation',
  summary: 'Set whether and how often the DKIM keys of a domain are rotated by themselves',
  description: 'Only for domains that publish CNAME records (`use_automatic_sender_security`).',
  body: {
    type: 'object',
    required: ['rotation_enabled'],
    properties: {
      rotation_enabled: { ...WORD, description: 'yes or no.' },
      rotation_interval: { ...WORD, description: 'From 8d to 1825d; a number with h, d, w or m.' },
    },
  },
  answer: {
    type: 'object',
    properties: {
      domain: {
        type: 'object',
        properties: {
          id: TEXT,
          account_id: TEXT,
          sid: TEXT,
          name: TEXT,
          state: { enum: ['enabled', 'disabled'] },
          active_selector: TEXT,
          rotation_enabled: { enum: ['true', 'false'] },
          rotation_interval: TEXT,
          records: {
            type: 'array',
            items: {
              type: 'object',
              properties: { name: TEXT, type: TEXT, identifier: TEXT, value: TEXT, comment: TEXT },
            },
          },
        },
      },
    },
  },
})(async ({ caller, params, body }, core) => {
  const { op, domain } = await onDelegated(core, caller, params.domain)
  const { rotation_enabled: enabled, rotation_interval: interval = '' } = body
  const usual = op.setup.dkimRotation === null ? USUAL_MS : 0
  const every = interval === '' ? usual : hoursOf(interval, 'rotation_interval') * HOUR_MS
  const dkimRotation = isYes('rotation_enabled', enabled) ? every : 'off'
  const updated = await updateDomain(op, { domain: domain.id, settings: { dkimRotation } })
  return { domain: rotationJson(op, updated) }
})

/** The interval of a domain that turns rotation on while the installation has it off. */
const USUAL_MS = 180 * 24 * HOUR_MS

const rotate = route(`POST ${URL}/rotate`, {
  operation: 'form_dkim_rotate',
  access: 'management',
  operationId: 'formRotateKey',
  summary: 'Replace the DKIM key of a domain with the next one now',
  description: 'Only for domains that publish CNAME records (`use_automatic_sender_security`).',
  answer: MESSAGE_ONLY,
})(async ({ caller, params }, core) => {
  const { op, domain } = await onDelegated(core, caller, params.domain)
  await rotateDkimKey(op, { domain: domain.id })
  return { message: 'ok' }
})

/** Throws a Refusal for a domain that publishes its keys itself: its owner would have to publish each new key. */
async function onDelegated(core: HttpCore, caller: Principal, name: string) {
  const own = await onOwnDomain(core, caller, name)
  if (isDelegated(own.domain, own.op.setup.dkimZone)) return own
  throw invalidField(
    'domain',
    `${own.domain.name} publishes its DKIM keys itself; set use_automatic_sender_security of the domain first`,
  )
}

function rotationJson(op: Operation, domain: SendingDomain) {
  const every = rotatedEvery(domain, op.setup.dkimRotation)
  const records = dnsRecords(domain, serviceNames(op, domain))
  return {
    id: domain.id,
    account_id: domain.companyId,
    sid: domain.id,
    name: domain.name,
    state: domain.sending === 'suspended' ? ('disabled' as const) : ('enabled' as const),
    active_selector: domain.dkim.find(({ active }) => active)?.selector ?? '',
    rotation_enabled: every === null ? ('false' as const) : ('true' as const),
    rotation_interval: every === null ? '' : `${Math.round(every / HOUR_MS)}h`,
    records: records
      .filter(({ type }) => type === 'CNAME')
      .map(({ name, type, value, purpose }) => ({ name, type, identifier: 'DKIM', value, comment: purpose })),
  }
}

export const rotationRoutes: readonly Endpoint[] = [setRotation, rotate]
