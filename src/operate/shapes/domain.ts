import type { AccountsSnapshot, DkimIdentity, SendingDomain } from '../../accounts/account.ts'
import type { DnsRecord } from '../../accounts/dns-records.ts'
import type { RecordCheck } from '../../accounts/record-check.ts'
import { zoneLine } from '../../accounts/zone-file.ts'
import { retiresAt } from '../domain-schedule.ts'
import { returnPathState } from '../return-path.ts'
import type { Operation } from '../verb.ts'
import { isoTime, secondsOf } from './time.ts'

export function domainJson(op: Operation, domain: SendingDomain) {
  const { id, name, companyId, status, sending, createdAt, settings } = domain
  const speaksFor = spokenFor(op.accounts, domain)
  return {
    id,
    name,
    company_id: companyId,
    status,
    sending,
    sending_disabled: settings.sendingOff ?? false,
    open_tracking: settings.openTracking,
    click_tracking: settings.clickTracking,
    unsubscribe_tracking: settings.unsubscribeTracking ?? false,
    tls: settings.tls ?? 'opportunistic',
    return_path: returnPathState(op, domain),
    lost_since: isoTime(domain.lostSince),
    pool: settings.pool ?? null,
    content_retention_seconds: secondsOf(settings.contentRetention),
    dkim: settings.dkimDelegated ? 'cname' : 'txt',
    dkim_rotation_seconds: settings.dkimRotation === 'off' ? 0 : secondsOf(settings.dkimRotation),
    speaks_for: speaksFor,
    created_at: isoTime(createdAt),
  }
}

/** A domain with its DKIM keys, and the records to publish. */
export function wholeDomainJson(op: Operation, domain: SendingDomain, records: readonly DnsRecord[]) {
  return { ...keysJson(op, domain), dns_records: records.map(dnsRecordJson) }
}

/** The same after a look at DNS. */
export function checkedDomainJson(op: Operation, domain: SendingDomain, records: readonly RecordCheck[]) {
  return { ...keysJson(op, domain), dns_records: records.map(recordCheckJson) }
}

function keysJson(op: Operation, domain: SendingDomain) {
  return { ...domainJson(op, domain), dkim_keys: domain.dkim.map(dkimKeyJson) }
}

function dkimKeyJson({ selector, algorithm, active, delegated, rotation, seen }: DkimIdentity) {
  return {
    selector,
    algorithm,
    active,
    delegated,
    stage: rotation?.stage ?? null,
    since: isoTime(rotation?.since ?? null),
    keep_record_until: rotation?.stage === 'retiring' ? isoTime(retiresAt(rotation)) : null,
    seen,
  }
}

/** The names of the other domains that the domain's mail may be from. */
export function spokenFor(
  { domains }: Pick<AccountsSnapshot, 'domains'>,
  { speaksFor }: SendingDomain,
): string[] {
  return domains.filter(({ id }) => speaksFor.includes(id)).map(({ name }) => name)
}

export function dnsRecordJson(record: DnsRecord) {
  const { kind, type, name, value, preference, required, purpose } = record
  return { kind, type, name, value, preference, required, purpose, zone: zoneLine(record) }
}

export function recordCheckJson(record: RecordCheck) {
  const { state, found, advice, explanation, suggestion } = record
  return { ...dnsRecordJson(record), state, found, advice, explanation, suggestion }
}
