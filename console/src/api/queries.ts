/** The cache of what the service has answered. */
import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './client.ts'

/** Tries again while the service restarts; what it has refused is refused. */
function tryAgain(failures: number, error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500) && failures < 20
}

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: tryAgain,
      retryDelay: (failures) => Math.min(500 * 1.5 ** failures, 5_000),
      staleTime: 5_000,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})
