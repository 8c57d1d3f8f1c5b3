/** A sending domain in the requests and answers of this dialect. */

import type { Static } from 'typebox'
import type { DomainSettings, SendingDomain } from '../../../accounts/account.ts'
import { type DnsRecord, RECORD_TYPES } from '../../../accounts/dns-records.ts'
import { jsonDomainStatus, jsonRecords, REGION } from '../../../events/notices/json-domain.ts'
import { Refusal } from '../../../intake/refusal.ts'
import { visibleAccounts } from '../../../operate/authority.ts'
import { noSuchDomain } from '../../../operate/find.ts'
import type { Operation } from '../../../operate/verb.ts'
import { DOMAIN_NAME } from '../../bounds.ts'
import { object, orNull } from '../../object-schema.ts'
import { timestamp } from '../timestamp.ts'

const REGIONS = [REGION, 'eu-west-1', 'sa-east-1', 'ap-northeast-1'] as const

const RECORD = object(
  {
    record: { enum: ['DKIM', 'SPF'] },
    name: { type: 'string', description: 'The full name, without a final dot.' },
    type: { enum: RECORD_TYPES },
    ttl: { const: 'Auto' },
    status: { enum: ['not_started', 'pending', 'verified', 'failed', 'temporary_failure'] },
    value: { type: 'string' },
  },
  { priority: { type: 'integer', description: 'Of an MX record.' } },
)

const CAPABILITIES = object({
  sending: {
    enum: ['enabled', 'disabled'],
    description:
      'The setting; `status` shows whether the DNS records were found. If it is disabled, no mail is accepted.',
  },
  receiving: { const: 'disabled' },
})

const FACTS = {
  id: { type: 'string' },
  name: { type: 'string' },
  status: { enum: ['not_started', 'pending', 'verified', 'failed'] },
  created_at: { type: 'string' },
  region: { enum: REGIONS },
  capabilities: CAPABILITIES,
  open_tracking: { type: 'boolean' },
  click_tracking: { type: 'boolean' },
  tls: { enum: ['opportunistic', 'enforced'] },
} as const

/** An item of a list. */
export const DOMAIN = object(FACTS)

export const DOMAIN_WITH_RECORDS = object({
  object: { const: 'domain' },
  ...FACTS,
  records: { type: 'array', items: RECORD },
})

export function domainJson(domain: SendingDomain): Static<typeof DOMAIN> {
  const { id, name, createdAt, settings, status, sending, seen } = domain
  return {
    id,
    name,
    status: jsonDomainStatus({ status, sending, dkim: seen.dkim ?? null }),
    created_at: timestamp(createdAt),
    region: REGION,
    capabilities: { sending: settings.sendingOff ? 'disabled' : 'enabled', receiving: 'disabled' },
    open_tracking: settings.openTracking,
    click_tracking: settings.clickTracking,
    tls: (settings.tls ?? 'opportunistic') === 'opportunistic' ? 'opportunistic' : 'enforced',
  }
}

export function domainWithRecordsJson(
  domain: SendingDomain,
  records: readonly DnsRecord[],
): Static<typeof DOMAIN_WITH_RECORDS> {
  return { object: 'domain', ...domainJson(domain), records: jsonRecords(records) }
}

/** Settings of a domain. Unsupported ones are declared too, so that they are refused and not ignored. */
export const OPTIONS = {
  open_tracking: orNull({ type: 'boolean' }),
  click_tracking: orNull({ type: 'boolean' }),
  tls: orNull({ enum: ['opportunistic', 'enforced'] }),
  capabilities: orNull({
    type: 'object',
    properties: {
      sending: orNull({ enum: ['enabled', 'disabled'] }),
      receiving: orNull({ enum: ['enabled', 'disabled'] }),
    },
  }),
  tracking_subdomain: orNull(DOMAIN_NAME),
  custom_return_path: orNull({
    ...DOMAIN_NAME,
    description: 'A label below the domain, or a whole host name; `send` or an empty text: `bounces`.',
  }),
  region: orNull({ enum: REGIONS, description: 'Ignored: there are no regions here.' }),
} as const

const DOMAIN_OPTIONS = { type: 'object', properties: OPTIONS } as const
type DomainOptions = Static<typeof DOMAIN_OPTIONS>

/** Throws a Refusal for an unsupported setting that would have an effect. */
export function settingsIn(asked: DomainOptions): Partial<DomainSettings> {
  const refuse = (field: string, detail: string) => {
    throw new Refusal({ code: 'unsupported', field, detail })
  }
  if (asked.capabilities?.receiving === 'enabled')
    refuse('capabilities.receiving', 'this service does not receive mail')
  if (asked.tracking_subdomain) refuse('tracking_subdomain', 'this service has no separate tracking domains')
  const { custom_return_path: returnPath, capabilities } = asked
  return {
    // `send` is the default of some clients.
    ...(typeof returnPath === 'string' && { returnPath: returnPath === 'send' ? '' : returnPath }),
    ...(capabilities?.sending && { sendingOff: capabilities.sending === 'disabled' }),
    ...(asked.tls && { tls: asked.tls === 'enforced' ? ('required' as const) : ('opportunistic' as const) }),
    ...(typeof asked.open_tracking === 'boolean' && { openTracking: asked.open_tracking }),
    ...(typeof asked.click_tracking === 'boolean' && { clickTracking: asked.click_tracking }),
  }
}

/** Throws `not_found`. This dialect names a domain by its id; a text that is not an id matches no domain. */
export function requireDomain(op: Operation, id: string): void {
  if (!visibleAccounts(op).domains.some((domain) => domain.id === id)) throw noSuchDomain(id)
}
