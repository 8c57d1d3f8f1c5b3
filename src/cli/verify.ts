import type { Command } from 'commander'
import type { DomainStatus, SendingDomain } from '../accounts/account.ts'
import { type RecordCheck, type Verification, verifyDomain } from '../accounts/verify.ts'
import { Resolver } from '../dns/resolver.ts'
import { command, type JsonOption } from './command.ts'
import { inJson, recordInJson } from './domain.ts'
import { CommandFailed } from './failure.ts'
import { domainNamed } from './named.ts'
import { withStore } from './open.ts'
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

async function verify(text: string, { json }: JsonOption): Promise<void> {
  await withStore(async ({ settings, store, accounts }) => {
    const domain = domainNamed(accounts, text)
    const resolver = new Resolver({ servers: settings.dnsServers })
    const result = await verifyDomain(domain, settings.hostname, resolver)
    const change = changeAfter(domain, result)
    if (change.status !== domain.status || change.sending !== domain.sending) {
      await store.updateDomain(domain.id, change)
    }
    const after: SendingDomain = { ...domain, ...change }
    if (json) {
      printJson({
        ...inJson(after),
        verified: result.verified,
        dns_records: result.records.map((record) => ({
          ...recordInJson(record),
          state: record.state,
          found: record.found,
          advice: record.advice,
        })),
      })
    } else {
      for (const record of result.records) printCheck(record)
      printLine()
    }
    if (result.verified) {
      if (!json) printLine(`${domain.name} is verified; sending is ${after.sending}${hint(after)}.`)
      return
    }
    throw new CommandFailed(
      result.uncertain
        ? `DNS could not be asked about ${domain.name}, so that nothing was changed. Try again.`
        : `${domain.name} is not verified: correct the records above and run this again. DNS changes can take a while to be seen.`,
    )
  })
}

/** DNS that does not answer changes nothing, and what was once active stays so: a passing fault in DNS must not stop mail. */
function changeAfter(
  { status, sending }: SendingDomain,
  { verified, uncertain }: Verification,
): { status: DomainStatus; sending: SendingDomain['sending'] } {
  if (verified) return { status: 'verified', sending: sending === 'inactive' ? 'active' : sending }
  return { status: uncertain ? status : 'pending', sending }
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
