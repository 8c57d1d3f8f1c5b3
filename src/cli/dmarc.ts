import type { Command } from 'commander'
import { dmarcPolicyWords } from '../operate/dmarc-policy-words.ts'
import { type DmarcSummary, showDmarc } from '../operate/domain-reports.ts'
import { command, type JsonOption } from './command.ts'
import { withOperation } from './open.ts'
import { printFields, printJson, printLine, printTable } from './print.ts'

export function addDmarc(program: Command): void {
  command(program, {
    usage: 'dmarc <domain>',
    description:
      'Show what receivers report about mail from a domain: which servers send it, and how much passes DMARC.',
    details:
      'The numbers come from the aggregate reports (RFC 9990) of the last 30 days. A message passes if it has a valid DKIM signature or ' +
      'passes SPF, for a domain aligned with that of its sender. FAILING counts the messages that do neither: a policy of ' +
      'p=quarantine or p=reject stops them. The totals and the advice follow from reports with a valid DKIM signature of ' +
      'their sender: anybody may have written the other reports. UNVERIFIED counts the messages that only unproven reports contain.',
    examples: ['dmarc example.com', 'dmarc example.com --json'],
  }).action(show)
}

async function show(name: string, { json }: JsonOption): Promise<void> {
  await withOperation(async (op) => {
    const summary = await showDmarc(op, { domain: name })
    if (json) return printJson(summary)
    printFields(fieldsOf(summary))
    printLine()
    printTable(
      ['SOURCE', 'MESSAGES', 'DKIM', 'SPF', 'FAILING', 'QUARANTINED', 'REJECTED', 'UNVERIFIED', 'DOMAINS'],
      summary.sources.map(({ source, domains, ...sums }) => {
        const { messages, dkim, spf, failing, quarantined, rejected, unverified } = sums
        const counts = [messages, dkim, spf, failing, quarantined, rejected, unverified]
        return [source ?? 'others', ...counts.map(String), domains.join(', ')]
      }),
      'No source is known.',
    )
  })
}

function fieldsOf(summary: DmarcSummary): Parameters<typeof printFields>[0] {
  const { domain, since, days, reporters, policy, messages, passing, failing, unverified, advice } = summary
  return [
    ['Domain', domain],
    ['Reports', `${days} days since ${since}, from ${reporters.join(', ') || 'nobody'}`],
    ['Policy', dmarcPolicyWords(policy)],
    ['Messages', `${messages}: ${passing} pass, ${failing} fail`],
    ['Not verified', unverifiedWords(unverified)],
    ['Advice', advice],
  ]
}

function unverifiedWords({ messages, failing, reporters }: DmarcSummary['unverified']): string {
  if (messages === 0) return 'none'
  return `${messages}: ${failing} fail, in reports in the name of ${reporters.join(', ')}`
}
