/**
 * Checks the records of a domain in DNS while the page is open, and verifies the domain once the checks contradict its
 * state, or DNS has the record of its next DKIM key.
 */
import { useMutation, useQueries } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { checkQuery, verifyDomain, type WholeDomain } from '../../api/domains.ts'
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
    queries: domain.records.map(({ name }) => checkQuery(company, domain.id, name)),
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
  const stateAt = (name: string) =>
    results[domain.records.findIndex((record) => record.name === name)]?.data?.state
  const lacking = domain.records.some(
    ({ required, name }) => required && ['missing', 'different'].includes(stateAt(name) ?? ''),
  )
  const next = domain.dkim.some(({ stage, record }) => stage === 'next' && stateAt(record) === 'right')
  const contradicted = domain.status === 'pending' ? right : lacking
  const due = mayVerify && (contradicted || next)
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
