/** Checks a CNAME record that leads to the operator's zone, and the TXT record there: which of the two is at fault. */
import type { RecordState } from './account.ts'
import type { DnsRecord } from './dns-records.ts'
import { judgeDkim, noAnswerAdvice } from './judge-record.ts'
import type { RecordCheck, RecordResolver } from './record-check.ts'

/**
 * `target`: the TXT record at the end of the CNAME record. Null: DNS has no record at this name, neither CNAME nor TXT.
 */
export async function checkDelegation(
  record: DnsRecord,
  target: string,
  resolver: RecordResolver,
): Promise<RecordCheck | null> {
  const { name, value } = record
  const text = await resolver.txt(name)
  const found = text.kind === 'found' ? text.records : []
  const alias = text.kind === 'found' ? (text.alias ?? null) : null
  const judgement = found.length === 0 ? null : judgeDkim({ name: alias ?? name, value: target }, found)
  if (judgement?.state === 'right') {
    // Receivers follow any way to the key.
    const explanation = alias === null ? INSTEAD : null
    return { ...record, ...judgement, found: alias === null ? found : [alias], explanation }
  }
  const cname = await resolver.cname(name)
  if (cname.kind === 'failed') return result(record, 'unknown', [], noAnswerAdvice(name, cname.reason))
  if (cname.kind === 'absent') {
    if (text.kind === 'failed') return result(record, 'unknown', [], noAnswerAdvice(name, text.reason))
    if (found.length === 0) return null
    const advice = `There is a TXT record at ${name}. Remove it, and publish the CNAME record in its place.`
    return result(record, 'different', found, advice)
  }
  const ends = cname.records
  const leads = alias === value || (ends.length === 1 && ends[0] === value)
  if (!leads) {
    const advice =
      `The CNAME record at ${name} leads to ${ends.join(' and ')}. Change it to ${value}. ` +
      'If that is what you entered, your DNS provider may append the zone to each value: end it with a dot.'
    return result(record, 'different', ends, advice)
  }
  if (text.kind === 'failed') return result(record, 'unknown', ends, noAnswerAdvice(value, text.reason))
  const fault = judgement?.advice ?? `There is no TXT record at ${value}.`
  const advice = `The CNAME record is right, but not the record that it leads to. ${fault} ${BY_OPERATOR}`
  return result(record, judgement === null ? 'missing' : 'different', ends, advice)
}

const INSTEAD =
  'A TXT record with the key is here in place of the CNAME record. It serves until the key is replaced; with the CNAME record ' +
  'that needs nothing of you.'
const BY_OPERATOR = 'The operator of this service has to load its zone again (postroad domain zone).'

function result(record: DnsRecord, state: RecordState, found: string[], advice: string): RecordCheck {
  return { ...record, state, found, advice, explanation: null, suggestion: null }
}
