/** The DNS records of a domain: to publish, and as DNS has them. */
import type { DnsRecord } from '../accounts/dns-records.ts'
import type { RecordCheck } from '../accounts/record-check.ts'
import { foundOf, valueToPublish, zoneLine, zoneLinesOf } from '../accounts/zone-file.ts'
import type { SenderCheck } from '../operate/sender-checks.ts'
import { printLine } from './print.ts'

/** Records of new keys, which DNS cannot have yet. */
export function printRecords(records: readonly DnsRecord[]): void {
  for (const record of records) {
    printWanted(record)
    printLine(`  Value: ${zoneValue(record)}`)
  }
  printZone(records.map((record) => zoneLine(record)))
}

/** Records to publish, beside those that DNS has. */
export function printChecks(checks: readonly RecordCheck[]): void {
  for (const check of checks) {
    const { state, advice, explanation, preference } = check
    printWanted(check)
    printLine(`  DNS:   ${state}`)
    for (const text of [advice, explanation]) if (text !== null) printLine(`  ${text}`)
    const value = valueToPublish(check)
    if (value !== null) printLine(`  Value: ${zoneValue({ value, preference })}`)
    for (const text of foundOf(check)) printLine(`  Found: ${text}`)
  }
  printZone(checks.flatMap(zoneLinesOf))
}

function printWanted({ required, purpose, type, name }: DnsRecord): void {
  printLine()
  printLine(`${required ? 'Required' : 'Advised'}. ${purpose}`)
  printLine(`  Type:  ${type}`)
  printLine(`  Name:  ${name}`)
}

function printZone(lines: readonly string[]): void {
  printLine()
  printLine('As zone file lines:')
  for (const line of lines) printLine(`  ${line}`)
  printLine()
}

/** The value as a zone file writes it. */
function zoneValue({ value, preference }: Pick<DnsRecord, 'value' | 'preference'>): string {
  return preference === null ? value : `${preference} ${value}`
}

/** The result of a verification. */
export function printVerified(check: RecordCheck): void {
  const { preference, required } = check
  const value = valueToPublish(check)
  const expected = value === null ? null : zoneValue({ value, preference })
  printState({ ...check, value: expected }, required ? '' : ' (advised)')
}

/** The checks of the sender as text; empty when there are none. */
export function printSender(checks: readonly SenderCheck[]): void {
  if (checks.length === 0) return
  printLine('What receivers look up about the sender:')
  for (const check of checks) printState(check, ' (advised)')
  printLine()
}

type ShownState = Pick<SenderCheck, 'state' | 'name' | 'found' | 'advice'> & {
  type: string
  /** Null: none is printed. */
  value: string | null
}

function printState({ state, type, name, value, found, advice }: ShownState, need: string): void {
  printLine(`${state.padEnd(9)}  ${type} ${name}${need}`)
  if (advice === null) return
  printLine(`           ${advice}`)
  if (value !== null) printLine(`           expected: ${value}`)
  for (const text of found) printLine(`           found:    ${text}`)
}
