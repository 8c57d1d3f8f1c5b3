/** How the records of a domain are to be entered at its DNS provider. */
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { type DomainZone, type WholeDomain, zoneQuery } from '../../api/domains.ts'
import { BrowserRecords } from '../../parts/browser-records.ts'
import type { RecordForm } from './record-names.ts'

/** This browser shows full names, whatever the zone. */
const kept = new BrowserRecords('postroad-record-names', (text) => text === 'full')
const isFull = () => kept.read('')

export interface RecordFormChoice {
  /** Null: it is not known yet. */
  form: RecordForm | null
  /** Undefined: DNS has not been asked yet. */
  found: DomainZone | undefined
  /** The zone that names may be entered in; null: only full names are certain. */
  zone: string | null
  full: boolean
  setFull: (full: boolean) => void
}

export function useRecordForm(company: string, { id, name }: WholeDomain): RecordFormChoice {
  const { data: found, isError } = useQuery(zoneQuery(company, id))
  const full = useSyncExternalStore(kept.subscribe, isFull)
  const zone = found?.zone ?? (hasNoParent(name) ? name : null)
  const isKnown = found !== undefined || isError
  const form = isKnown ? { zone: full ? null : zone, provider: found?.provider ?? null } : null
  return { form, found, zone, full, setFull: (full) => kept.keep('', full ? 'full' : null) }
}

/** Its zone is the domain itself: the name above it is a top-level domain. */
function hasNoParent(name: string): boolean {
  return name.split('.').length <= 2
}
