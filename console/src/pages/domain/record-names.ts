/** Names and values of records as the DNS provider expects them. */
import { characterStrings } from '../../../../src/accounts/character-strings.ts'
import { isInZone } from '../../../../src/accounts/zone-file.ts'
import type { DomainZone, RequiredRecord } from '../../api/domains.ts'

export interface RecordForm {
  /** The zone that names are entered in; null: names are entered in full. */
  zone: string | null
  provider: DomainZone['provider']
}

/** Names and values as DNS has them. */
export const FULL_FORM: RecordForm = { zone: null, provider: null }

/** Empty: the provider wants no name for the zone itself. A name outside of the zone is always in full. */
export function nameIn({ zone, provider }: RecordForm, name: string): string {
  if (zone === null) return name
  if (name === zone) return provider?.apex ?? '@'
  return isInZone(zone, name) ? name.slice(0, -zone.length - 1) : name
}

/** `text`: the value of a TXT record. */
export function textIn({ provider }: RecordForm, text: string): string {
  return provider?.quotesText ? characterStrings(text) : text
}

/** `preference`: of an MX record, if the form has a field for it. */
export function valueIn(
  form: RecordForm,
  { type, value, preference }: Pick<RequiredRecord, 'value' | 'preference'> & { type: string },
): { value: string; preference: number | null } {
  if (type === 'TXT') return { value: textIn(form, value), preference }
  if (type === 'A' || type === 'AAAA') return { value, preference }
  const { endsHosts = false, joinsPriority = false } = form.provider ?? {}
  const host = endsHosts ? `${value}.` : value
  return preference !== null && joinsPriority
    ? { value: `${preference} ${host}`, preference: null }
    : { value: host, preference }
}
