/** The DNS records of a domain: to publish, and as DNS has them. */
import { type DnsRecord, zoneLine } from '../accounts/dns-records.ts'
import type { RecordCheck } from '../accounts/record-check.ts'
import type { SenderCheck } from '../operate/sender-checks.ts'
import { printLine } from './print.ts'

export function printRecords(records: readonly DnsRecord[]): void {
  for (const record of records) {
    printLine()
    printLine(`${record.required ? 'Required' : 'Advised'}. ${record.purpose}`)
    printLine(`  Type:  ${record.type}`)
    printLine(`  Name:  ${record.name}`)
    printLine(`  Value: ${zoneValue(record)}`)
  }
  printLine()
  printLine('As zone file lines:')
  for (const record of records) printLine(`  ${zoneLine(record)}`)
  printLine()
}

/** The value as a zone file writes it. */
function zoneValue({ value, preference }: Pick<DnsRecord, 'value' | 'preference'>): string {
  return preference === null ? value : `${preference} ${value}`
}

export function printCheck({ required, value, preference, ...check }: RecordCheck): void {
  printState({ ...check, value: zoneValue({ value, preference }) }, required ? '' : ' (advised)')
}

/** The checks of the sender as text; empty when there are none. */
export function printSender(checks: readonly SenderCheck[]): void {
  if (checks.length === 0) return
  printLine('What receivers look up about the sender:')
  for (const check of checks) printState(check, ' (advised)')
  printLine()
}

function printState(
  {
    state,
    type,
    name,
    value,
    found,
    advice,
    suggestion = null,
  }: Omit<SenderCheck, 'kind' | 'type' | 'purpose'> & { type: string; suggestion?: string | null },
  need: string,
): void {
  printLine(`${state.padEnd(9)}  ${type} ${name}${need}`)
  if (advice === null) return
  printLine(`           ${advice}`)
  printLine(`           expected: ${suggestion ?? value}`)
  for (const text of found) printLine(`           found:    ${text}`)
}
