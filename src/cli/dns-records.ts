/** The DNS records of a domain: to publish, and as DNS has them. */
import { type DnsRecord, zoneLine } from '../accounts/dns-records.ts'
import type { RecordCheck } from '../accounts/verify.ts'
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

/** As a zone file writes it. */
function zoneValue({ value, preference }: Pick<DnsRecord, 'value' | 'preference'>): string {
  return preference === null ? value : `${preference} ${value}`
}

export function printCheck({
  state,
  required,
  type,
  name,
  value,
  preference,
  found,
  advice,
}: RecordCheck): void {
  printLine(`${state.padEnd(9)}  ${type} ${name}${required ? '' : ' (advised)'}`)
  if (advice === null) return
  printLine(`           ${advice}`)
  printLine(`           expected: ${zoneValue({ value, preference })}`)
  for (const text of found) printLine(`           found:    ${text}`)
}
