import type { Command } from 'commander'
import type { SendingDomain } from '../accounts/account.ts'
import type { RecordCheck } from '../accounts/verify.ts'
import { verifyDomain } from '../operate/domains.ts'
import { domainJson, recordCheckJson } from '../operate/shapes.ts'
import { command, type JsonOption } from './command.ts'
import { CommandFailed } from './failure.ts'
import { withOperation } from './open.ts'
import { printJson, printLine } from './print.ts'

/** @param domain the group `domain` */
export function addVerify(domain: Command): void {
  command(domain, {
    usage: 'verify <domain>',
    description:
      'Check the DNS records of a domain now; when the required ones are right, sending becomes active.',
    details: 'Exit code 1 when a required record is missing or different, or DNS could not be asked.',
    examples: ['domain verify example.com', 'domain verify example.com --json'],
  }).action(verify)
}

async function verify(name: string, { json }: JsonOption): Promise<void> {
  const { domain, verification } = await withOperation((op) => verifyDomain(op, { domain: name }))
  const { records, verified, uncertain } = verification
  if (json) {
    printJson({ ...domainJson(domain), verified, dns_records: records.map(recordCheckJson) })
  } else {
    for (const record of records) printCheck(record)
    printLine()
  }
  if (verified) {
    if (!json) printLine(`${domain.name} is verified; sending is ${domain.sending}${hint(domain)}.`)
    return
  }
  throw new CommandFailed(
    uncertain
      ? `DNS could not be asked about ${domain.name}, so that nothing was changed. Try again.`
      : `${domain.name} is not verified: correct the records above and run this again. DNS changes can take a while to be seen.`,
  )
}

function hint({ name, sending }: SendingDomain): string {
  return sending === 'suspended' ? ` by the operator (postroad domain activate ${name} lifts that)` : ''
}

function printCheck({ state, required, type, name, value, found, advice }: RecordCheck): void {
  printLine(`${state.padEnd(9)}  ${type} ${name}${required ? '' : ' (advised)'}`)
  if (advice === null) return
  printLine(`           ${advice}`)
  printLine(`           expected: ${value}`)
  for (const text of found) printLine(`           found:    ${text}`)
}
