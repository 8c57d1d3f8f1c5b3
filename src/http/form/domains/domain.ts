/** A sending domain in this dialect. */
import type { DomainSettings, SendingDomain } from '../../../accounts/account.ts'
import type { DnsRecord } from '../../../accounts/dns-records.ts'
import type { RecordCheck } from '../../../accounts/record-check.ts'
import { mailDate } from '../../../ingress/message-form/date.ts'
import { FLAG, TEXT } from '../schemas.ts'

export const DOMAIN = {
  type: 'object',
  properties: {
    id: TEXT,
    name: TEXT,
    state: { enum: ['active', 'unverified', 'disabled'] },
    is_disabled: FLAG,
    type: TEXT,
    created_at: { type: 'string', description: 'As in a mail header.' },
    smtp_login: TEXT,
    require_tls: FLAG,
    skip_verification: FLAG,
    wildcard: FLAG,
    spam_action: TEXT,
    web_prefix: TEXT,
    web_scheme: TEXT,
    use_automatic_sender_security: FLAG,
  },
} as const

export const RECORD = {
  type: 'object',
  properties: {
    record_type: TEXT,
    priority: { type: 'string', description: 'Of an MX record.' },
    name: TEXT,
    value: TEXT,
    valid: { enum: ['valid', 'invalid', 'unknown'] },
    is_active: FLAG,
    cached: { type: 'array', items: TEXT },
  },
} as const

const RECORDS = { type: 'array', items: RECORD } as const

export const DOMAIN_WITH_RECORDS = {
  type: 'object',
  properties: {
    message: TEXT,
    domain: DOMAIN,
    receiving_dns_records: RECORDS,
    sending_dns_records: RECORDS,
  },
} as const

/** `skip_verification`: a certificate need not be valid for the server. */
export function tlsFlags({ tls = 'opportunistic' }: DomainSettings) {
  return { require_tls: tls !== 'opportunistic', skip_verification: tls === 'required' }
}

/** The fields about receiving mail have fixed values, because the service receives no mail. */
export function domainJson({ id, name, sending, settings, createdAt }: SendingDomain) {
  return {
    id,
    name,
    state: stateOf(sending),
    is_disabled: sending === 'suspended' || settings.sendingOff === true,
    type: 'custom',
    created_at: mailDate(createdAt),
    smtp_login: `postmaster@${name}`,
    ...tlsFlags(settings),
    wildcard: false,
    spam_action: 'disabled',
    web_prefix: 'email',
    web_scheme: webSchemeOf(settings),
    use_automatic_sender_security: settings.dkimDelegated === true,
  } as const
}

/** The setting is stored and shown; tracking links do not exist yet. */
export function webSchemeOf({ webScheme = 'https' }: DomainSettings) {
  return webScheme
}

function stateOf(sending: SendingDomain['sending']) {
  if (sending === 'suspended') return 'disabled'
  return sending === 'active' ? 'active' : 'unverified'
}

const VALID = { right: 'valid', missing: 'unknown', unknown: 'unknown', different: 'invalid' } as const

/** The records with their states, by a check that was just made, or else by the last check. */
export function recordsJson(records: readonly (DnsRecord | RecordCheck)[]) {
  return records.map((record) => {
    const { seen } = record
    return {
      record_type: record.type,
      name: record.name,
      value: record.value,
      ...(record.preference !== null && { priority: String(record.preference) }),
      valid: VALID[('state' in record ? record.state : seen) ?? 'unknown'],
      is_active: true,
      cached: 'found' in record ? record.found : [],
    } as const
  })
}
