import type { Command } from 'commander'
import { clip } from '../common/clip.ts'
import { siteJson } from '../operate/shapes/site.ts'
import { listSites, type SiteDescription, showSite } from '../operate/sites.ts'
import { command, group, type JsonOption } from './command.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { formatDue, formatTime, printFields, printJson } from './print.ts'

export function addSite(program: Command): void {
  const site = group(
    program,
    'site',
    'Sites: groups of mail servers that share limits on sessions and messages.',
    ['site list', 'site show gmail.com'],
  )
  command(site, {
    usage: 'list',
    description: 'List the sites that got mail in the last 24 hours, and the providers with known limits.',
    details:
      'A site is a group of mail servers that share limits: a provider with all the domains it serves, or the servers of ' +
      'one domain. A node forgets its sites when it stops: after a restart, a site is listed again from the next try of its mail on. ' +
      'postroad queue --by site lists all sites with waiting mail. SESSIONS, PER MINUTE and PER HOUR show the present use and the limit; messages count when they are tried, whether the site accepts them or not. Closed sites come first. FOR names the ' +
      'mail that the closure concerns; a site may have more closures that concern less mail.',
    examples: ['site list', 'site list --json'],
  }).action(list)
  command(site, {
    usage: 'show <site>',
    description:
      'Show a site: its limits and where they are set, their present use, and whether it is closed.',
    details:
      'Give the name from the list, a mail server, or a recipient domain, whose mail servers are then looked up.',
    examples: ['site show Google', 'site show mx1.example.com', 'site show gmail.com'],
  }).action(show)
}

const list = listing({
  verb: listSites,
  json: siteJson,
  titles: [
    'SITE',
    'LIMITS OF',
    'SESSIONS',
    'PER MINUTE',
    'PER HOUR',
    'LAST TRY',
    'CLOSED SINCE',
    'FOR',
    'NEXT TRY',
    'REASON',
  ],
  row: ({ name, provider, limits, lowered, used, lastMessageAt, closed }) => [
    name,
    provider ?? 'default',
    ofLimit(used.sessions, lowered.sessions ?? limits.sessions),
    ofLimit(used.messagesLastMinute, lowered.messagesPerMinute ?? limits.messagesPerMinute),
    ofLimit(used.messagesLastHour, limits.messagesPerHour),
    formatTime(lastMessageAt),
    formatTime(closed?.since ?? null),
    closed && closedMailText(closed),
    formatDue(closed?.nextTryAt ?? null),
    clip(closed?.reason ?? '', 100),
  ],
  nothing: 'No site got mail in the last 24 hours, or since the service was started.',
})

async function show(site: string, { json }: JsonOption): Promise<void> {
  await withOperation(async (op) => {
    const found = await showSite(op, { site })
    if (json) return printJson(siteJson(found))
    printFields(fieldsOf(found))
  })
}

function fieldsOf(site: SiteDescription): Parameters<typeof printFields>[0] {
  const { limits, lowered, used, lastMessageAt, lastAcceptedAt, lastTrouble, closed, pause, sources } = site
  return [
    ['Site', site.name],
    ['Limits of', site.provider ?? 'default'],
    ['Source of the limits', site.source],
    ['Mail servers', site.hosts.join(', ')],
    ['Domains', site.domains.join(', ')],
    ['Sessions', ofLimit(used.sessions, limits.sessions) + lowerNow(lowered.sessions)],
    [
      'Tried in the last minute',
      ofLimit(used.messagesLastMinute, limits.messagesPerMinute) + lowerNow(lowered.messagesPerMinute),
    ],
    ['Tried in the last hour', ofLimit(used.messagesLastHour, limits.messagesPerHour)],
    ['Last try', formatTime(lastMessageAt)],
    ['Last message accepted', formatTime(lastAcceptedAt)],
    ['Last problem', formatTime(lastTrouble?.at ?? null)],
    ['Words of the last problem', lastTrouble?.reason ?? null],
    ['Messages per session', limits.messagesPerSession],
    ['Recipients per transaction', limits.recipientsPerTransaction],
    ['TLS', limits.tls],
    ['Envelope behind the final dot', limits.envelopeBehindDot ? 'yes' : 'no'],
    ['Octets per message', limits.size],
    ['First pause', limits.backOff === null ? null : `${limits.backOff / 1_000}s`],
    ['Paused since', formatTime(pause?.since ?? null)],
    ['Paused until', formatTime(pause?.until ?? null)],
    ['Reason of the pause', pause?.reason ?? null],
    ['Closed since', formatTime(closed?.since ?? null)],
    ['For mail of', closed && closedMailText(closed)],
    ['Reason', closed?.reason ?? null],
    ['Next try', formatDue(closed?.nextTryAt ?? null)],
    ['Block list', closed?.list?.name ?? null],
    ['Ask for removal', closed?.list?.removal ?? null],
    ...sources
      .filter(({ name }) => name !== 'default')
      .map((source): [string, string] => [`From ${source.name}`, sourceLine(source, limits)]),
  ]
}

function sourceLine(
  { helo, used, lowered, closed, warmUp }: SiteDescription['sources'][number],
  limits: SiteDescription['limits'],
): string {
  const sessions = `sessions ${ofLimit(used.sessions, lowered.sessions ?? limits.sessions)}`
  const minute = `tried in the last minute ${ofLimit(used.messagesLastMinute, lowered.messagesPerMinute ?? limits.messagesPerMinute)}`
  const warming =
    warmUp === undefined
      ? ''
      : `, day ${warmUp.day} of its warm-up: ${warmUp.messages} of ${warmUp.limit} messages today`
  const shut =
    closed === null
      ? ''
      : `, closed for mail of ${closedMailText(closed)} since ${formatTime(closed.since)}: ${closed.reason}`
  return `${helo}, ${sessions}, ${minute}${warming}${shut}`
}

function closedMailText({
  company,
  sendingDomain,
  recipientDomain,
  servers,
}: NonNullable<SiteDescription['closed']>): string {
  const whose = sendingDomain ?? company ?? 'all companies'
  const to = recipientDomain ?? servers ?? null
  return to === null ? whose : `${whose} to ${to}`
}

function ofLimit(used: number, limit: number | null): string {
  return limit === null ? String(used) : `${used} of ${limit}`
}

export function lowerNow(limit: number | null): string {
  return limit === null ? '' : ` (at present ${limit}, because the servers ask for less)`
}
