/** Records as lines of a zone file (RFC 1035 5). Pure: the page of the console uses it, too. */
import type { RecordState } from './account.ts'
import { characterStrings } from './character-strings.ts'

interface RecordLine {
  name: string
  type: 'TXT' | 'MX' | 'CNAME' | 'A' | 'AAAA'
  value: string
  preference: number | null
}

/** The record as a line of a zone file. `ttl`: in seconds. */
export function zoneLine({ name, type, value, preference }: RecordLine, ttl?: number): string {
  const start = `${name}.${ttl === undefined ? '' : ` ${ttl}`} IN ${type}`
  if (type === 'MX') return `${start} ${preference} ${value}.`
  if (type === 'CNAME') return `${start} ${value}.`
  return `${start} ${type === 'TXT' ? characterStrings(value) : value}`
}

/** A record after a look at DNS, as a `RecordCheck`. */
interface CheckedRecord extends RecordLine {
  /** A `RecordKind`, or that of a check of the sender. */
  kind: string
  state: RecordState
  found: readonly string[]
  advice: string | null
  suggestion: string | null
}

/** Records with terms of others: only the owner of the domain knows which of them have to stay. */
const SHARED: ReadonlySet<string> = new Set(['spf', 'return_path_spf', 'dmarc'])

/** The value to publish. Null: DNS has the record, or its fault has to be mended by hand, as the advice says. */
export function valueToPublish({
  kind,
  state,
  value,
  found,
  suggestion,
}: Pick<CheckedRecord, 'kind' | 'state' | 'value' | 'found' | 'suggestion'>): string | null {
  if (suggestion !== null) return suggestion
  if (state === 'right') return null
  return state !== 'missing' && found.length > 0 && SHARED.has(kind) ? null : value
}

/**
 * Lines that may be appended to the zone of the domain. A record becomes a line only if DNS lacks it; otherwise the
 * line would add a second record. The others become comments.
 */
export function zoneLinesOf(record: CheckedRecord): string[] {
  const { name, type, state, found, advice } = record
  const publish = valueToPublish(record)
  const line = publish === null ? null : zoneLine({ ...record, value: publish })
  // The target of a CNAME record may be missing while the CNAME record is there.
  if (state === 'missing' && (type === 'TXT' || found.length === 0)) return [zoneLine(record)]
  if (state === 'unknown') return comments(advice ?? '', `Not checked: ${line ?? zoneLine(record)}`)
  if (line !== null) return comments(advice ?? '', `Change by hand: ${line}`)
  if (state !== 'right') return comments(`Change by hand: ${advice}`)
  return [
    ...comments(advice ?? ''),
    ...foundOf(record).flatMap((text) => comments(`In DNS for ${name}: ${text}`)),
  ]
}

/** A record that receivers look up about the sender: an address of an EHLO name, or another. */
interface AddressRecord
  extends Pick<CheckedRecord, 'kind' | 'name' | 'value' | 'state' | 'found' | 'advice'> {
  type: string
}

/** The lines of the addresses of EHLO names that belong to the zone. */
export function senderZoneLines(records: readonly AddressRecord[], zone: string): string[] {
  return records.flatMap((record) => {
    const { type, name } = record
    if ((type !== 'A' && type !== 'AAAA') || !isInZone(zone, name) || isInWords(record)) return []
    return zoneLinesOf({ ...record, type, preference: null, suggestion: null })
  })
}

/** Whether the name is entered in the zone. */
export function isInZone(zone: string, name: string): boolean {
  return name === zone || name.endsWith(`.${zone}`)
}

/** The service does not know every address that its mail comes from, and then describes it. */
export function isInWords({ type, value }: { type: string; value: string }): boolean {
  return type === 'A' && /[^\d.]/.test(value)
}

/** The found values without TXT records for other purposes, which the name of an SPF record often has. */
export function foundOf({ kind, found }: Pick<CheckedRecord, 'kind' | 'found'>): string[] {
  const isSpf = kind === 'spf' || kind === 'return_path_spf'
  return isSpf ? found.filter((text) => /^v=spf1/i.test(text)) : [...found]
}

/** Text from DNS may have line breaks, which would end the comment. */
function comments(...texts: string[]): string[] {
  return texts.filter((text) => text !== '').map((text) => `; ${text.replace(/[\r\n]+/g, ' ')}`)
}
