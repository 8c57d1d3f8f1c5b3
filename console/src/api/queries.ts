/** The cache of what the service has answered. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './client.ts'

/** Tries again while the service restarts; what it has refused is refused. */
function tryAgain(failures: number, error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500) && failures < 20
}

let signedOut: () => void = () => {}

/** `listener`: called when the service does not know the session any more. */
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

/** After a change: what stands under keys that begin so is asked for again, at once where somebody looks at it. */
export async function invalidate(...kinds: readonly string[]): Promise<void> {
  await Promise.all(kinds.map((kind) => queries.invalidateQueries({ queryKey: [kind] })))
}
