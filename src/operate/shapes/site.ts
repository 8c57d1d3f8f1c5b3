import type { SiteDescription } from '../sites.ts'
import { isoTime } from './time.ts'

export function siteJson({
  name,
  provider,
  hosts,
  domains,
  limits,
  lowered,
  used,
  lastMessageAt,
  lastAcceptedAt,
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
    last_accepted_at: isoTime(lastAcceptedAt),
    last_problem: lastTrouble && {
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
