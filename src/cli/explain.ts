import type { Command } from 'commander'
import { clip } from '../common/clip.ts'
import { type ExplainRequest, type Explanation, explain, rehearseDelivery } from '../operate/explain.ts'
import { addressIn, companyName, domainName } from '../operate/find.ts'
import { scopeText } from '../operate/pauses.ts'
import { type ExplanationJson, explanationJson, headlineOf } from '../operate/shapes/explanation.ts'
import { pauseText } from '../operate/shapes/pause.ts'
import { STATUS_WORDS } from '../operate/status-word.ts'
import type { Operation } from '../operate/verb.ts'
import { command, type JsonOption, parser } from './command.ts'
import { withOperation } from './open.ts'
import { formatDue, formatTime, printFields, printJson, printLine } from './print.ts'
import { lowerNow } from './site.ts'

interface ExplainOptions extends JsonOption, Pick<ExplainRequest, 'from'> {
  try?: true
}

export function addExplain(program: Command): void {
  command(program, {
    usage: 'explain',
    description: 'Show how mail to an address would leave now, and what would stop it.',
    details:
      'It finds the route and the servers as delivery does. With --from it also looks at the state, the route, the suppressions and ' +
      'the pauses of that sending domain; without it, at those of all companies.\n\n' +
      'With --try it speaks to the server up to RCPT TO and sends no message. The server then knows that somebody asked about the address.',
    examples: [
      'explain jane@example.com',
      'explain jane@example.com --from acme.com',
      'explain jane@example.com --from acme.com --try',
    ],
  })
    .argument('<address>', 'the address of a recipient', parser(addressIn))
    .option('--from <domain>', 'as mail of this sending domain', parser(domainName))
    .option('--try', 'ask the server, without sending a message')
    .action(run)
}

async function run(address: string, { json, from, try: asks }: ExplainOptions): Promise<void> {
  await withOperation(async (op) => {
    const request = { address, from }
    const { explanation, tried } =
      asks === true
        ? await rehearseDelivery(op, request)
        : { explanation: await explain(op, request), tried: null }
    const shown = explanationJson(explanation, tried)
    if (json) printJson(shown)
    else printExplanation(op, shown, explanation)
  })
}

function printExplanation(op: Operation, shown: ExplanationJson, explanation: Explanation): void {
  const { pauses, last } = explanation
  const { problem, route, site, hosts, suppressions, tried } = shown
  printLine(headlineOf(explanation))
  if (problem !== null) printLine(problem)
  printLine()
  printFields([
    ['Route', route],
    ['Site', siteText(shown)],
    ...closedFields(site),
    ['From', sourceText(shown)],
    ...hosts.map(({ name, preference, ...host }): [string, string] => [
      'Server',
      `${name}${preference === null ? '' : ` (${preference})`} ${usable(host)}, TLS ${demandText(host.tls)}`,
    ]),
    ...policyFields(shown),
    ...suppressions.map(({ company_id, domain, type, reason }): [string, string] => [
      `Suppressed for ${domain ?? companyName(op, company_id)}`,
      `${type}: ${reason}`,
    ]),
    ...pauses.map((pause): [string, string] => ['Paused', `${scopeText(op, pause)}, ${pauseText(pause)}`]),
  ])
  if (last.length > 0) {
    printLine()
    printLine('The latest results at this domain:')
    for (const { email, recipient, status } of last) {
      const { address, lastMessage } = recipient
      const reply = clip(lastMessage ?? '', LONGEST_REPLY)
      printLine(
        `  ${formatTime(email.createdAt)}  ${STATUS_WORDS[status].word}  ${address}  ${reply}`.trimEnd(),
      )
    }
  }
  if (tried === null) return
  const { accepted, permanent, server, message, dialogue } = tried
  const asked = accepted || permanent !== null
  printLine()
  printLine(
    `${asked ? `${accepted ? 'Accepted' : 'Not accepted'} by ${server ?? 'any server'}` : 'Not asked'}: ${message}`,
  )
  for (const line of dialogue.split('\n')) if (line !== '') printLine(`  ${line}`)
}

const LONGEST_REPLY = 100

function siteText({ route, site }: ExplanationJson): string {
  const limits = limitsText(site)
  return route === 'direct'
    ? `${site.name}, limits of ${site.provider ?? 'default'}: ${limits}`
    : `${site.name}, ${limits}`
}

function limitsText({ limits, lowered }: ExplanationJson['site']): string {
  const { sessions, messages_per_minute: aMinute, messages_per_hour: anHour } = limits
  return [
    `at most ${limitText(sessions, 'session')} at once${lowerNow(lowered.sessions)}`,
    aMinute === null && lowered.messages_per_minute === null
      ? []
      : `${limitText(aMinute, 'message')} a minute${lowerNow(lowered.messages_per_minute)}`,
    anHour === null ? [] : `${limitText(anHour, 'message')} an hour`,
    `${limitText(limits.messages_per_session, 'message')} a session`,
    `${limitText(limits.recipients_per_transaction, 'recipient')} a message`,
  ]
    .flat()
    .join(', ')
}

function closedFields({ closed }: ExplanationJson['site']): [string, string][] {
  if (closed === null) return []
  const { since, next_try_at: next, reason, list } = closed
  return [
    ['Closed', `since ${timeText(since)}, next try ${formatDue(Date.parse(next))}: ${reason}`],
    ...(list === null ? [] : [['Block list', `${list.name}, removal: ${list.removal}`] as [string, string]]),
  ]
}

function sourceText({ source }: ExplanationJson): string {
  const { address, proxy, missing, helo, warm_up: warmUp } = source
  if (missing !== null) return `none: ${missing}`
  const from = address ?? 'the address that the system chooses'
  const through = proxy === null ? '' : ` through ${proxy}`
  const warming = warmUp === null ? '' : `, ${warmUpText(warmUp)}`
  return `${from}${through}, as ${helo}${warming}`
}

function warmUpText({ day, messages, limit }: NonNullable<ExplanationJson['source']['warm_up']>): string {
  const used = messages === null ? `${limit} messages` : `${messages} of ${limit} messages`
  return `day ${day} of its warm-up: ${used} to this site today`
}

/** The demand, and who makes it where it is not the default. */
function demandText({ demand, source }: ExplanationJson['hosts'][number]['tls']): string {
  return source === 'default' ? demand : `${demand} (${DEMANDED_BY[source]})`
}

const DEMANDED_BY = {
  route: 'by the route',
  site: 'by the limits of the site',
  message: 'by the message',
  domain: 'by the sending domain',
  'mta-sts': 'by MTA-STS',
  dane: 'by DANE',
} as const

function policyFields({ route, policy }: ExplanationJson): [string, string][] {
  const { kind, mode, source, fetched_at: fetched, expires_at: expires, problem } = policy
  if (route !== 'direct') return []
  if (kind === null) {
    return [['Policy', problem ?? 'none: the domain publishes neither MTA-STS nor DANE']]
  }
  if (kind === 'dane') return [['Policy', `DANE, ${source}`]]
  return [
    ['Policy', `MTA-STS in mode ${mode}, fetched ${timeText(fetched!)}, valid until ${timeText(expires!)}`],
    ['Source of the policy', source!],
    ...(problem === null ? [] : [['Present policy', problem] as [string, string]]),
  ]
}

function timeText(time: string): string {
  return formatTime(Date.parse(time))!
}

function limitText(count: number | null, noun: string): string {
  return count === null ? `any number of ${noun}s` : `${count} ${noun}${count === 1 ? '' : 's'}`
}

function usable({
  addresses,
  problem,
}: Pick<ExplanationJson['hosts'][number], 'addresses' | 'problem'>): string {
  return addresses.length > 0 ? addresses.join(', ') : `cannot be used: ${problem ?? 'it has no address'}`
}
