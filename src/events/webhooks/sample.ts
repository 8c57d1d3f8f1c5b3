/** A made-up event for testing a webhook. */
import { randomUUIDv7 } from 'node:crypto'
import {
  COMPANY_EVENT_TYPES,
  type CompanyEventType,
  domainChanged,
  type EntryType,
  type LogEntry,
  type NewCompanyEvent,
  problemChanged,
} from '../../email/company-event.ts'
import type { DomainState } from '../../email/domain-state.ts'
import type { EventDetail, EventType } from '../../email/event.ts'
import { type EventNotice, WHOLE } from '../../email/event-notice.ts'

const DETAILS: Partial<Record<EventType, EventDetail>> = {
  delivered: {
    code: 250,
    enhancedCode: '2.0.0',
    message: '2.0.0 OK: queued',
    server: 'mx.example.com',
    attempt: 1,
  },
  delivery_delayed: {
    code: 451,
    enhancedCode: '4.7.1',
    message: '4.7.1 Try again later',
    attempt: 1,
    category: 'greylisted',
    permanent: false,
  },
  bounced: {
    code: 550,
    enhancedCode: '5.1.1',
    message: '5.1.1 No such user here',
    attempt: 1,
    category: 'address_unknown',
    permanent: true,
  },
  failed: { message: 'The last attempt failed as well', category: 'expired', permanent: false },
  suppressed: { message: 'Not sent: the address is on the suppression list (it bounced)' },
}

/** @param now Unix ms */
export function sampleEvent(type: EventType, companyId: string, domain: string, now: number): EventNotice
export function sampleEvent(
  type: EntryType,
  companyId: string,
  domain: string,
  now: number,
): EventNotice<LogEntry>
export function sampleEvent(
  type: EntryType,
  companyId: string,
  domain: string,
  now: number,
): EventNotice<LogEntry> {
  if (!isCompanyEvent(type)) return ofEmail(type, companyId, domain, now)
  return ofCompany(companyId, isOfProblem(type) ? ofProblem(type, domain, now) : ofDomain(domain, now), now)
}

function isCompanyEvent(type: EntryType): type is CompanyEventType {
  return (COMPANY_EVENT_TYPES as readonly string[]).includes(type)
}

function isOfProblem(type: CompanyEventType): type is 'problem.started' | 'problem.ended' {
  return type === 'problem.started' || type === 'problem.ended'
}

function ofDomain(name: string, now: number): NewCompanyEvent {
  const record = {
    kind: 'dkim',
    name: `sample._domainkey.${name}`,
    type: 'TXT',
    value: 'v=DKIM1; k=rsa; p=...',
    preference: null,
    seen: 'missing',
  } as const
  const state: DomainState = {
    createdAt: now,
    status: 'pending',
    sending: 'active',
    dkim: 'missing',
    records: [record],
  }
  const message = `A sample: DNS has lost the DKIM records of ${name}.`
  return domainChanged('domain.updated', { id: randomUUIDv7(), name }, state, now, message)
}

function ofProblem(type: 'problem.started' | 'problem.ended', domain: string, now: number): NewCompanyEvent {
  const problem = {
    id: `domain:${domain}`,
    title: domain,
    found: `A sample: DNS has lost the DKIM record of ${domain}.`,
    advice: 'Publish the records that the page of the domain shows.',
    since: type === 'problem.started' ? now : now - 3_600_000,
  }
  return problemChanged(type, problem, now, randomUUIDv7())
}

function ofCompany(companyId: string, event: NewCompanyEvent, now: number): EventNotice<LogEntry> {
  return {
    id: randomUUIDv7(),
    part: WHOLE,
    event: { ...event, number: -now, companyId, emailId: null, recipient: null, address: null },
    email: null,
    recipient: null,
    octets: 1_000,
  }
}

function ofEmail(type: EventType, companyId: string, domain: string, now: number): EventNotice {
  const emailId = randomUUIDv7()
  const whole = type === 'sent' || type === 'scheduled'
  const recipient = 'recipient@example.com'
  const from = `Sample <sample@${domain}>`
  const at = { createdAt: now - 1_000, scheduledAt: type === 'scheduled' ? now + 3_600_000 : null }
  return {
    id: randomUUIDv7(),
    part: WHOLE,
    event: {
      // Not the number of a real event: those begin with 1.
      number: -now,
      type,
      at: now,
      emailId,
      companyId,
      recipient: whole ? null : 0,
      address: whole ? null : recipient,
      detail: DETAILS[type] ?? {},
    },
    email: {
      id: emailId,
      companyId,
      domainId: '',
      ...at,
      size: 1_234,
      testMode: true,
      tls: null,
      individual: false,
      from,
      to: [recipient],
      cc: [],
      replyTo: [],
      subject: 'A sample event',
      headers: [],
      messageId: `<${emailId}@${domain}>`,
      sender: `sample@${domain}`,
      tags: [],
      variables: {},
      attachments: [],
      domainName: domain,
      recipientCount: 1,
      viaSmtp: false,
    },
    recipient: {
      position: 0,
      address: recipient,
      mailbox: null,
      copySize: null,
      copyOf: null,
      variables: null,
    },
    octets: 1_000,
  }
}
