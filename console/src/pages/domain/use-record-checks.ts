/**
 * Checks the records of a domain in DNS while the page is open, and verifies the domain once the checks contradict its
 * state, or DNS has the record of its next DKIM key or all of its return path.
 */
import { useMutation, useQueries } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { checkQuery, type RequiredRecord, verifyDomain, type WholeDomain } from '../../api/domains.ts'
import type { RecordLookup } from './record-card.tsx'

export interface RecordChecks {
  /** In the order of the records. */
  lookups: RecordLookup[]
  pending: boolean
  /** When DNS was asked last, by this page or by the service; null: never. */
  checkedAt: string | null
  /** Every required record is right. */
  right: boolean
  /** The reason why the domain could not be verified. */
  error: Error | null
  again: () => void
}

/** `mayVerify`: the person may verify the domain, which lets it send. */
export function useRecordChecks(company: string, domain: WholeDomain, mayVerify: boolean): RecordChecks {
  const results = useQueries({
    queries: domain.records.map((record) => checkQuery(company, domain.id, record)),
  })
  // A refusal is not retried on its own: the server would refuse again.
  const asked = useRef(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => verifyDomain(company, domain.id),
    onSuccess() {
      asked.current = false
    },
  })
  const right = domain.records.every(
    ({ required }, index) => !required || results[index]?.data?.state === 'right',
  )
  const statesOf = (of: (record: RequiredRecord) => boolean) =>
    domain.records.flatMap((record, index) => (of(record) ? [results[index]?.data?.state] : []))
  const lacking = statesOf(({ required }) => required).some(
    (state) => state === 'missing' || state === 'different',
  )
  const waiting = domain.dkim.filter(({ stage }) => stage === 'next').map(({ record }) => record)
  const next = statesOf(({ name }) => waiting.includes(name)).includes('right')
  const ofReturnPath = statesOf(({ kind }) => kind.startsWith('return_path_'))
  const returnPathReady =
    !domain.returnPath.used && ofReturnPath.length > 0 && ofReturnPath.every((state) => state === 'right')
  const contradicted = domain.status === 'pending' ? right : lacking
  const due = mayVerify && (contradicted || next || returnPathReady)
  useEffect(() => {
    if (!due || asked.current) return
    asked.current = true
    mutate()
  }, [due, mutate])
  const again = async () => {
    asked.current = true
    await Promise.all(results.map(({ refetch }) => refetch()))
    if (mayVerify) mutate()
  }
  return {
    lookups: results.map(({ data, isFetching, error }) => ({ check: data, looking: isFetching, error })),
    pending: isPending || results.some(({ isFetching }) => isFetching),
    checkedAt: latest([domain.checkedAt, ...results.map(({ dataUpdatedAt }) => timeOf(dataUpdatedAt))]),
    right,
    error,
    again: () => void again(),
  }
}

function timeOf(at: number): string | null {
  return at === 0 ? null : new Date(at).toISOString()
}

function latest(times: readonly (string | null)[]): string | null {
  return (
    times
      .filter((time) => time !== null)
      .toSorted()
      .at(-1) ?? null
  )
}
