/** The cache of the server's answers. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './client.ts'

/** Retries while the server restarts. A refusal (4xx) is final. */
function tryAgain(failures: number, error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500) && failures < 20
}

let signedOut: () => void = () => {}

/** `listener`: called when the server no longer knows the session. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener
}

function onError(error: Error): void {
  if (error instanceof ApiError && error.code === 'signed_out') signedOut()
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
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

/**
 * Reloads the queries whose key starts with one of `kinds`: at once if they are on screen, otherwise when
 * next used.
 */
export async function invalidate(...kinds: readonly string[]): Promise<void> {
  await Promise.all(kinds.map((kind) => queries.invalidateQueries({ queryKey: [kind] })))
}
