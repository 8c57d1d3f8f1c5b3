/** What DNS has of each record, asked for again and again while somebody looks, until the domain is verified. */
import { useMutation, useQueries } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { checkQuery, verifyDomain, type WholeDomain } from '../../api/domains.ts'
import type { RecordLookup } from './record-card.tsx'

export interface RecordChecks {
  /** In the order of the records. */
  lookups: RecordLookup[]
  pending: boolean
  /** Every required record is right. */
  right: boolean
  /** Why it is not verified though they are; what else went wrong. */
  error: Error | null
  again: () => void
}

/** `mayVerify`: what is right is told to the service, which then lets the domain send. */
export function useRecordChecks(company: string, domain: WholeDomain, mayVerify: boolean): RecordChecks {
  const results = useQueries({
    queries: domain.records.map(({ name }) => checkQuery(company, domain.id, name)),
  })
  // What the service has refused it would refuse again.
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
  const due = mayVerify && right && domain.status === 'pending'
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
    right,
    error,
    again: () => void again(),
  }
}
