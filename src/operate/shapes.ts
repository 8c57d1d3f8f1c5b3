/**
 * The JSON form of the results of verbs: one function for each noun, shared by all interfaces. Times are ISO 8601 in
 * UTC.
 */
import type { AccountsSnapshot, ApiKey, Company, DkimIdentity, SendingDomain } from '../accounts/account.ts'
import { type DnsRecord, zoneLine } from '../accounts/dns-records.ts'
import type { RecordCheck } from '../accounts/record-check.ts'
import { utcTime } from '../common/utc-day.ts'
import { lastCategories } from '../email/classification.ts'
import type { LogEntry } from '../email/company-event.ts'
import type { EmailEvent, EventDetail } from '../email/event.ts'
import type { EmailHistory, EmailSummary, StoredAttempt, StoredRecipient } from '../email/stored-email.ts'
import { type AllowEntry, type Suppression, scopeOf } from '../email/suppression.ts'
import { wordsOfTypes } from '../events/notices/types.ts'
import { messageId } from '../events/webhooks/message-id.ts'
import type { ReceivedMail } from '../inbound/arrived-mail.ts'
import type { BounceCategory } from '../mail/reply/category.ts'
import type {
  ApiRequest,
  InboundMail,
  NodeBeat,
  Pause,
  PauseScope,
  QuarantinedEmail,
  WebhookAttempt,
} from '../store/store.ts'
import { retiresAt } from './domain-schedule.ts'
import type { ListedKey } from './keys.ts'
import type { ChangedPool, PoolDescription } from './pools.ts'
import type { LaneReport } from './queue.ts'
import type { CompanySum, LaneFigures, SiteSum } from './queue-sums.ts'
import { returnPathState } from './return-path.ts'
import type { OwnedRoute } from './routes.ts'
import type { SiteDescription } from './sites.ts'
import type { Operation } from './verb.ts'
import type { OwnedWebhook } from './webhook-find.ts'

/** Unix ms as ISO 8601; null stays null. */
export function isoTime(at: number): string
export function isoTime(at: number | null): string | null
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

function secondsOf(ms: number | undefined): number | null {
  return ms === undefined ? null : ms / 1_000
}

export function companyJson({ id, name, createdAt, limits, ...company }: Company) {
  const { pool = null, contentRetention, ownName = null } = company
  return {
    ...{ id, name, own_name: ownName, created_at: isoTime(createdAt), limits: { ...limits }, pool },
    content_retention_seconds: secondsOf(contentRetention),
  }
}

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
  return {
    ...domainJson(op, domain),
    dkim_keys: domain.dkim.map(dkimKeyJson),
    dns_records: records.map(dnsRecordJson),
  }
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
  const { state, found, advice } = record
  return { ...dnsRecordJson(record), state, found, advice }
}

/** Without the token, which is not stored, and without its hash. */
export function keyJson(accounts: Pick<AccountsSnapshot, 'domains'>, key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    company_id: key.companyId,
    token_start: key.tokenStart,
    scopes: key.scopes,
    domain: keyDomain(accounts, key),
    networks: key.networks,
    created_at: isoTime(key.createdAt),
    expires_at: isoTime(key.expiresAt),
    revoked_at: isoTime(key.revokedAt),
  }
}

/** A key as lists show it. */
export function listedKeyJson(accounts: Pick<AccountsSnapshot, 'domains'>, { lastUse, ...key }: ListedKey) {
  return {
    ...keyJson(accounts, key),
    last_used: lastUse && { at: isoTime(lastUse.at), address: lastUse.address, client: lastUse.client },
  }
}

/** Without the password and the user, which are sealed together. */
export function routeJson({ route, company, domain }: OwnedRoute) {
  return {
    id: route.id,
    company_id: company.id,
    domain: domain?.name ?? null,
    url: route.url,
    login: route.sealed !== null,
    created_at: isoTime(route.createdAt),
  }
}

/** The name of the only domain that a key is for; null: the key is for the whole company. */
export function keyDomain(
  { domains }: Pick<AccountsSnapshot, 'domains'>,
  { domainId }: ApiKey,
): string | null {
  if (domainId === null) return null
  return domains.find(({ id }) => id === domainId)?.name ?? domainId
}

export function emailSummaryJson(email: EmailSummary) {
  return {
    id: email.id,
    company_id: email.companyId,
    from: email.from,
    to: email.to,
    subject: email.subject,
    created_at: isoTime(email.createdAt),
    last_event: email.lastEvent,
    size: email.size,
  }
}

/** An email with its history, without its content. */
export function historyJson({ email, recipients, events, attempts }: EmailHistory) {
  const { content } = email
  const categories = lastCategories(events)
  return {
    id: email.id,
    company_id: email.companyId,
    domain_id: email.domainId,
    key_id: email.keyId,
    message_id: content.messageId,
    from: content.from,
    to: content.to,
    cc: content.cc,
    bcc: email.bcc,
    reply_to: content.replyTo,
    subject: content.subject,
    created_at: isoTime(email.createdAt),
    scheduled_at: isoTime(email.scheduledAt),
    give_up_at: isoTime(email.giveUpAt),
    last_event: email.lastEvent,
    size: email.size,
    tags: email.tags,
    variables: email.variables,
    content_removed: email.contentRemoved,
    recipients: recipients.map((each) => recipientJson(each, categories.get(each.position) ?? null)),
    events: events.map(eventJson),
    attempts: attempts.map(attemptJson),
  }
}

function recipientJson(recipient: StoredRecipient, category: BounceCategory | null) {
  const { position, address, kind, state, attempts, dueAt, lastCode, lastMessage, server } = recipient
  const next = state === 'waiting' ? isoTime(dueAt) : null
  const answer = { code: lastCode, message: lastMessage, server, category }
  return { position, address, kind, state, attempts, next_attempt_at: next, ...answer }
}

/** @param event.recipient position of the recipient; null: the event concerns the email as a whole */
function eventJson({ type, at, recipient, detail }: Omit<EmailEvent, 'emailId'>) {
  return { type, at: isoTime(at), recipient, ...eventDetailJson(detail) }
}

/**
 * An event of the log. `recipient` is the address, `position` its index within the email; both are null if the event
 * concerns the email as a whole. `email_id` is null too if it concerns the company.
 */
export function loggedEventJson(event: LogEntry) {
  const { number, type, at, emailId, companyId, address, recipient, detail } = event
  return {
    number,
    type,
    at: isoTime(at),
    email_id: emailId,
    company_id: companyId,
    recipient: address,
    position: recipient,
    detail: eventDetailJson(detail),
  }
}

function eventDetailJson(detail: EventDetail) {
  const { enhancedCode, nextAttemptAt, reportId, suppressedBy, webhookId, domainId, tlsVerified, ...more } =
    detail
  const { domainState: _, problem, ...rest } = more
  return {
    ...rest,
    ...(enhancedCode !== undefined && { enhanced_code: enhancedCode }),
    ...(nextAttemptAt !== undefined && { next_attempt_at: isoTime(nextAttemptAt) }),
    ...(tlsVerified && { tls_verified: true }),
    ...(reportId !== undefined && { report_id: reportId }),
    ...(suppressedBy !== undefined && { suppressed_by: suppressedBy }),
    ...(webhookId !== undefined && { webhook_id: webhookId }),
    ...(domainId !== undefined && { domain_id: domainId }),
    ...(problem !== undefined && { problem: { ...problem, since: isoTime(problem.since) } }),
  }
}

function attemptJson({ startedAt, duration, ...attempt }: StoredAttempt) {
  const { recipients, source, server, tls, dialogue } = attempt
  return { recipients, started_at: isoTime(startedAt), duration_ms: duration, source, server, tls, dialogue }
}

export function laneJson(lane: LaneReport) {
  return { company_id: lane.companyId, domain: lane.domain, ...laneSumJson(lane) }
}

export function siteSumJson({ site, domains, sessions, ...sum }: SiteSum) {
  return { site: site.name, provider: site.provider, domains, sessions, ...laneSumJson(sum) }
}

export function companySumJson({ companyId, ...sum }: CompanySum) {
  return { company_id: companyId, ...laneSumJson(sum) }
}

function laneSumJson(sum: LaneFigures) {
  return {
    waiting: sum.waiting,
    sending: sum.sending,
    quarantined: sum.quarantined,
    oldest_at: isoTime(sum.oldestAt),
    next_attempt_at: isoTime(sum.nextDueAt),
    last_answer: sum.lastMessage,
    paused: sum.paused,
  }
}

/** Null: every company, every domain, every site. */
export function pauseScopeJson({ companyId, domain, site }: PauseScope) {
  return { company_id: companyId, domain, site: site?.name ?? null }
}

export function pauseFacts({ since, until, reason }: Omit<Pause, keyof PauseScope>) {
  return { since: isoTime(since), until: isoTime(until), reason }
}

export function pauseJson(pause: Pause) {
  return { ...pauseScopeJson(pause), ...pauseFacts(pause) }
}

/** `since 2026-11-01 12:00:00Z, until ...: maintenance`. */
export function pauseText({ since, until, reason }: Omit<Pause, keyof PauseScope>): string {
  const end = until === null ? '' : `, until ${utcTime(until)}`
  return `since ${utcTime(since)}${end}${reason === null ? '' : `: ${reason.replace(/\.$/, '')}`}`
}

export function quarantinedJson(email: QuarantinedEmail) {
  const { id, companyId, from, subject, recipients, since, message } = email
  return { id, company_id: companyId, from, subject, recipients, since: isoTime(since), message }
}

/** `domain`: the name of the domain on whose list it is. */
export function suppressionJson(suppression: Suppression, domain: string | null) {
  const { id, companyId, address, type, tags, reason, code, createdAt, emailId, domainId } = suppression
  return {
    id,
    company_id: companyId,
    address,
    type,
    tags,
    reason,
    code,
    created_at: isoTime(createdAt),
    email_id: emailId,
    domain_id: domainId,
    domain,
    scope: scopeOf(suppression) === null ? ('company' as const) : ('domain' as const),
  }
}

/** `domain`: the name of the domain on whose list it is. */
export function allowEntryJson(
  { companyId, domainId, value, kind, reason, createdAt }: AllowEntry,
  domain: string | null,
) {
  return {
    company_id: companyId,
    value,
    kind,
    reason,
    created_at: isoTime(createdAt),
    domain_id: domainId,
    domain,
  }
}

export function nodeJson({ token, name, roles, since, timeoutMs, beats }: NodeBeat) {
  return { token, name, roles, since: isoTime(since), timeout_ms: timeoutMs, beats }
}

export function poolJson({
  name,
  addresses,
  companies,
  domains,
  warmUps,
  notInService,
  createdAt,
}: PoolDescription) {
  return {
    name,
    addresses,
    companies,
    domains,
    warm_up: warmUps.map(({ address, day, limit }) => ({ address, day, messages_per_site: limit })),
    not_in_service: notInService,
    created_at: isoTime(createdAt),
  }
}

export function changedPoolJson(pool: ChangedPool) {
  const { addresses, notInService } = pool.otherMail
  return { ...poolJson(pool), other_mail: { addresses, not_in_service: notInService } }
}

export function siteJson({
  name,
  provider,
  hosts,
  domains,
  limits,
  lowered,
  used,
  lastMessageAt,
  lastTrouble,
  closed,
  sources,
  source,
  pause,
}: SiteDescription) {
  return {
    name,
    provider,
    hosts,
    domains: [...domains],
    limits: limitsJson(limits),
    ...useJson({ lowered, used, closed }),
    last_message_at: isoTime(lastMessageAt),
    last_trouble: lastTrouble && {
      at: isoTime(lastTrouble.at),
      kind: lastTrouble.kind,
      reason: lastTrouble.reason,
    },
    sources: sources.map(({ name, helo, warmUp, ...use }) => ({
      name,
      helo,
      ...useJson(use),
      warm_up: warmUp ?? null,
    })),
    source,
    paused_since: isoTime(pause?.since ?? null),
    paused_until: isoTime(pause?.until ?? null),
    pause_reason: pause?.reason ?? null,
  }
}

export function limitsJson<Tls extends string | null>(
  limits: Omit<SiteDescription['limits'], 'tls'> & { tls: Tls },
) {
  return {
    sessions: limits.sessions,
    messages_per_session: limits.messagesPerSession,
    messages_per_minute: limits.messagesPerMinute,
    messages_per_hour: limits.messagesPerHour,
    recipients_per_transaction: limits.recipientsPerTransaction,
    tls: limits.tls,
    envelope_behind_dot: limits.envelopeBehindDot,
    size: limits.size,
    back_off_ms: limits.backOff,
  }
}

export function loweredJson(lowered: SiteDescription['lowered']) {
  return { sessions: lowered.sessions, messages_per_minute: lowered.messagesPerMinute }
}

export function closureJson(closed: NonNullable<SiteDescription['closed']>) {
  return {
    since: isoTime(closed.since),
    reason: closed.reason,
    next_try_at: isoTime(closed.nextTryAt),
    company: closed.company,
    sending_domain: closed.sendingDomain,
    recipient_domain: closed.recipientDomain,
    servers: closed.servers ?? null,
    list: closed.list && { name: closed.list.name, removal: closed.list.removal },
  }
}

function useJson({ lowered, used, closed }: Pick<SiteDescription, 'lowered' | 'used' | 'closed'>) {
  return {
    lowered: loweredJson(lowered),
    used: {
      sessions: used.sessions,
      messages_last_minute: used.messagesLastMinute,
      messages_last_hour: used.messagesLastHour,
    },
    closed: closed && closureJson(closed),
  }
}

/** Without the secret, which is shown once. `domain`: the id, if the domain has been removed. */
export function webhookJson({ webhook, company, domain }: OwnedWebhook) {
  return {
    id: webhook.id,
    company_id: company.id,
    domain: domain?.name ?? webhook.domainId,
    dialect: webhook.dialect,
    url: webhook.url,
    events: wordsOfTypes(webhook.dialect, webhook.types),
    status: webhook.status,
    created_at: isoTime(webhook.createdAt),
    rotated_at: isoTime(webhook.rotatedAt),
    failing_since: isoTime(webhook.failingSince),
    disabled_at: isoTime(webhook.disabledAt),
    disabled_reason: webhook.disabledReason,
    told_up_to: webhook.cursor,
  }
}

/** `event`: the number of the event; `message_id` is the same for each attempt. */
export function webhookAttemptJson(attempt: WebhookAttempt) {
  return {
    id: attempt.id,
    webhook_id: attempt.webhookId,
    message_id: messageId(attempt.webhookId, attempt),
    event: attempt.number,
    type: attempt.type,
    email_id: attempt.emailId,
    attempt: attempt.attempt,
    at: isoTime(attempt.at),
    duration_ms: attempt.duration,
    succeeded: attempt.succeeded,
    status: attempt.status,
    error: attempt.error,
    response: attempt.response,
    next_attempt_at: isoTime(attempt.nextAt),
  }
}

export function returnedMailJson(mail: InboundMail) {
  return {
    id: mail.id,
    company_id: mail.companyId,
    email_id: mail.emailId,
    at: isoTime(mail.at),
    times: mail.times,
    source: mail.source,
    peer: mail.peer,
    recipient: mail.recipient,
    from: mail.from,
    subject: mail.subject,
    kind: mail.kind,
    outcome: mail.outcome,
    note: mail.note,
    events: mail.events,
    recipients: mail.findings,
    size: mail.size,
    kept: mail.kept,
  }
}

/** What followed from a mail that was handed in, for its program. */
export function receivedMailJson({ id, kind, outcome, note, events, emailId }: ReceivedMail) {
  return { id, kind, outcome, note, events, email_id: emailId }
}

/** `request`: the fields that the client sent; null: none. `response`: the answer, if it is kept. */
export function apiRequestJson(entry: ApiRequest) {
  return {
    id: entry.id,
    company_id: entry.companyId,
    at: isoTime(entry.at),
    method: entry.method,
    endpoint: entry.endpoint,
    status: entry.status,
    error: entry.error,
    key_id: entry.keyId,
    address: entry.address,
    user_agent: entry.userAgent,
    duration_ms: entry.duration,
    request: jsonOrText(entry.request),
    response: jsonOrText(entry.response),
  }
}

/** Text that was cut off is not JSON. */
export function jsonOrText(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return text
  }
}
