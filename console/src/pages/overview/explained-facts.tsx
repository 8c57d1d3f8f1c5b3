/** The facts of an explanation: the way of the mail, what limits and protects it, and what stops some of it. */
import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { lastReplyText } from '../../../../src/operate/reply-text.ts'
import { STATUS_WORDS } from '../../../../src/operate/status-word.ts'
import type { ExplanationAnswer } from '../../api/explain.ts'
import { useMe } from '../../api/session.ts'
import { Clamped } from '../../parts/clamped.tsx'
import { DueTime } from '../../parts/due-time.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { HostName } from '../../parts/host-name.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText, visible } from '../../parts/untrusted-text.tsx'

interface ExplainedProps {
  of: ExplanationAnswer
}

export function ExplainedFacts({ of }: ExplainedProps) {
  const { route, site, hosts, source, suppressions, pauses, problem } = of
  const isDirect = route === 'direct'
  const { companies } = useMe()
  const nameOf = (id: string) => companies.find((each) => each.id === id)?.name ?? 'another company'
  return (
    <Facts names={96}>
      <Fact name="Route">{visible(route)}</Fact>
      <Fact name="Site">
        <UntrustedText>{site.name}</UntrustedText>
        {isDirect && <>, limits of {visible(site.provider ?? 'default')}</>}: {limitsText(site)}
      </Fact>
      {site.closed !== null && (
        <Fact name="Closed">
          since <Time at={site.closed.since} />, next try <DueTime at={site.closed.next_try_at} />
          {problem?.includes(site.closed.reason) !== true && (
            <>
              : <UntrustedText>{site.closed.reason}</UntrustedText>
            </>
          )}
          {site.closed.list !== null && (
            <>
              {' '}
              (on the block list of <UntrustedText>{site.closed.list.name}</UntrustedText>; removal:{' '}
              <UntrustedText>{site.closed.list.removal}</UntrustedText>)
            </>
          )}
        </Fact>
      )}
      <Fact name="From">
        <SourceWords of={source} />
        {source.warm_up !== null && (
          <>
            , day {source.warm_up.day} of its warm-up:{' '}
            {source.warm_up.messages !== null && `${source.warm_up.messages.toLocaleString()} of `}
            {counted(source.warm_up.limit, 'message')} to this site today
            {source.warm_up.messages === null && source.warm_up.used_up && ', all used up'}
          </>
        )}
      </Fact>
      {hosts.map(({ name, preference, addresses, tls, problem }) => (
        <Fact name="Server" key={name}>
          <HostName>{name}</HostName>
          {preference !== null && ` (${preference})`}:{' '}
          {addresses.length > 0 ? (
            addresses.join(', ')
          ) : (
            <>
              cannot be used: <UntrustedText>{problem ?? 'it has no address'}</UntrustedText>
            </>
          )}
          , TLS {tls.demand}
          {DEMANDED_BY[tls.source]}
        </Fact>
      ))}
      {isDirect && (
        <Fact name="Policy">
          <Policy of={of} />
        </Fact>
      )}
      {suppressions.map(({ company_id, domain, type, reason, created_at }) => (
        <Fact name="Suppressed" key={`${company_id} ${domain} ${type}`}>
          {type} for {visible(domain ?? nameOf(company_id))}, <Time at={created_at} />:{' '}
          <UntrustedText>{reason}</UntrustedText>
        </Fact>
      ))}
      {pauses.map((pause) => (
        <Fact name="Paused" key={`${pause.company_id} ${pause.domain} ${pause.site}`}>
          {pausedMail(pause, nameOf)}, <Time at={pause.since} />
          {pause.until !== null && (
            <>
              , until <Time at={pause.until} />
            </>
          )}
          {pause.reason !== null && (
            <>
              : <UntrustedText>{pause.reason}</UntrustedText>
            </>
          )}
        </Fact>
      ))}
    </Facts>
  )
}

function SourceWords({ of: { address, proxy, missing, helo } }: { of: ExplanationAnswer['source'] }) {
  if (missing !== null) return <>none: {visible(missing)}</>
  return (
    <>
      {address ?? 'the address that the system chooses'}
      {proxy !== null && <> through {visible(proxy)}</>}, as {visible(helo)}
    </>
  )
}

/** The latest results at the recipient's domain. */
export function LatestMail({ company, of: { last } }: ExplainedProps & { company: string }) {
  if (last.length === 0) return null
  return (
    <div>
      <Text size="sm" fw={600}>
        Latest mail to this domain
      </Text>
      {last.map(({ email_id, accepted_at, recipient, status, reply }) => (
        <Text size="sm" component="div" key={email_id}>
          <Anchor component={Link} to={`/c/${company}/emails/${email_id}`} inherit>
            <UntrustedText>{recipient}</UntrustedText>
          </Anchor>{' '}
          <Time at={accepted_at} />: {STATUS_WORDS[status].word.toLowerCase()}
          {reply !== null && (
            <Text size="xs" c="dimmed" component="div">
              <Clamped>
                <UntrustedText>{lastReplyText(reply)}</UntrustedText>
              </Clamped>
            </Text>
          )}
        </Text>
      ))}
    </div>
  )
}

function Policy({ of: { policy } }: ExplainedProps): ReactNode {
  const { kind, mode, source, fetched_at, expires_at, problem } = policy
  if (kind === null) {
    return <UntrustedText>{problem ?? 'none: the domain publishes neither MTA-STS nor DANE'}</UntrustedText>
  }
  if (kind === 'dane') return <>DANE, {visible(source ?? '')}</>
  return (
    <>
      MTA-STS in mode {mode}, fetched <Time at={fetched_at} />, valid until <Time at={expires_at} />
      {problem !== null && (
        <>
          ; <UntrustedText>{problem}</UntrustedText>
        </>
      )}
    </>
  )
}

/** The origin of a demand for encryption. */
const DEMANDED_BY: Readonly<Record<string, string>> = {
  route: ' (by the route)',
  site: ' (by the limits of the site)',
  domain: ' (by the sending domain)',
  'mta-sts': ' (by MTA-STS)',
  dane: ' (by DANE)',
}

function limitsText({ limits, lowered }: ExplanationAnswer['site']): string {
  const { messages_per_minute: aMinute } = limits
  return [
    `at most ${counted(limits.sessions, 'session')} at once${present(lowered.sessions)}`,
    (aMinute !== null || lowered.messages_per_minute !== null) &&
      `${counted(aMinute, 'message')} a minute${present(lowered.messages_per_minute)}`,
    limits.messages_per_hour !== null && `${counted(limits.messages_per_hour, 'message')} an hour`,
    `${counted(limits.messages_per_session, 'message')} a session`,
    `${counted(limits.recipients_per_transaction, 'recipient')} a message`,
  ]
    .filter((each) => each !== false)
    .join(', ')
}

function present(lowered: number | null): string {
  return lowered === null ? '' : ` (at present ${lowered.toLocaleString()}, because the servers ask for less)`
}

function pausedMail(
  { company_id, domain, site }: ExplanationAnswer['pauses'][number],
  nameOf: (id: string) => string,
): string {
  const whose = company_id === null ? 'mail of all companies' : `mail of ${visible(nameOf(company_id))}`
  const to = domain ?? site
  return to === null ? whose : `${whose} to ${visible(to)}`
}

function counted(count: number | null, noun: string): string {
  return count === null
    ? `any number of ${noun}s`
    : `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`
}
