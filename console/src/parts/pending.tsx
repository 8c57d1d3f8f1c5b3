import { Skeleton } from '@mantine/core'
import { ErrorAlert } from './error-alert.tsx'

export interface LoadingQuery {
  error: Error | null
  refetch: () => unknown
}

/** Stands in for data that a query has not loaded: a skeleton, or the error with a button to try again. */
export function Pending({ of: { error, refetch }, height = 240 }: { of: LoadingQuery; height?: number }) {
  return error === null ? <Skeleton h={height} /> : <ErrorAlert error={error} reset={() => void refetch()} />
}
