import type { Command } from 'commander'
import { type ExplainRequest, type Explanation, explain, rehearseDelivery } from '../operate/explain.ts'
import { type ExplanationJson, explanationJson, headlineOf } from '../operate/explanation-json.ts'
import { addressIn, companyName, domainName } from '../operate/find.ts'
import { scopeText } from '../operate/pauses.ts'
import { pauseFacts, pauseText } from '../operate/shapes.ts'
import type { Operation } from '../operate/verb.ts'
import { command, type JsonOption, typed } from './command.ts'
import { withOperation } from './open.ts'
import { clipped, printFields, printJson, printLine } from './print.ts'

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
    .argument('<address>', 'the address of a recipient', typed(addressIn))
    .option('--from <domain>', 'as mail of this sending domain', typed(domainName))
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
    else printExplanation(op, shown, explanation.pauses)
  })
}

function printExplanation(op: Operation, shown: ExplanationJson, pauses: Explanation['pauses']): void {
  const { problem, route, site, hosts, source, suppressions, last, tried } = shown
  printLine(headlineOf(shown))
  if (problem !== null) printLine(problem)
  printLine()
  printFields([
    ['Route', route],
    ['Site', `${site.name}, at most ${sessions(site.limits.sessions)} at once`],
    [
      'From',
      `${source.address ?? 'the address that the system chooses'}${source.proxy === null ? '' : ` through ${source.proxy}`}, as ${source.helo}`,
    ],
    ...hosts.map(({ name, preference, addresses, tls }): [string, string] => [
      'Server',
      `${name}${preference === null ? '' : ` (${preference})`} ${listed(addresses)}, TLS ${tls.demand}`,
    ]),
    ...suppressions.map(({ company_id, domain, type, reason }): [string, string] => [
      `Suppressed for ${domain ?? companyName(op, company_id)}`,
      `${type}: ${reason}`,
    ]),
    ...pauses.map((pause): [string, string] => [
      'Paused',
      `${scopeText(op, pause)}, ${pauseText(pauseFacts(pause))}`,
    ]),
  ])
  if (last.length > 0) {
    printLine()
    printLine('The latest results at this domain:')
    for (const { accepted_at, state, recipient, reply } of last) {
      printLine(`  ${accepted_at}  ${state}  ${recipient}  ${clipped(reply ?? '', LONGEST_REPLY)}`.trimEnd())
    }
  }
  if (tried === null) return
  printLine()
  printLine(
    `${tried.accepted ? 'Accepted' : 'Not accepted'} by ${tried.server ?? 'any server'}: ${tried.message}`,
  )
  for (const line of tried.dialogue.split('\n')) printLine(`  ${line}`)
}

const LONGEST_REPLY = 100

function sessions(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`
}

function listed(addresses: readonly string[]): string {
  return addresses.length === 0 ? 'without an address' : addresses.join(', ')
}
