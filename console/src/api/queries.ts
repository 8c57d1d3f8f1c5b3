/** The cache of the server's answers. */
import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { setLastAnswer, setReadsFailing } from './answering.ts'
import {
  ApiError,
  type CallInput,
  call,
  isUnavailable,
  type JsonAnswer,
  type JsonRoute,
  type Parts,
} from './client.ts'

/**
 * No answer, or that of a proxy in front of a service that is away. Not 504: mostly a question that takes too long, which
 * would cost as much again.
 */
const UNANSWERED: readonly number[] = [0, 502, 503]

export function isUnanswered(error: unknown): boolean {
  return error instanceof ApiError && UNANSWERED.includes(error.status)
}

/** The frame of every page reads it regularly. */
const SESSION = 'GET /session'

/** Retries for as long as the service does not answer; a fault of the service 20 times. A refusal (4xx) is final. */
function tryAgain(failures: number, error: Error): boolean {
  return isUnavailable(error) && (failures < 20 || isUnanswered(error))
}

let signedOut: () => void = () => {}

/** `listener`: called when the server no longer knows the session. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener
}

function onError(error: Error): void {
  if (!(error instanceof ApiError)) return
  if (error.code === 'signed_out') signedOut()
  // Finds out whether the service is away, or has left this one request without an answer.
  if (isUnanswered(error)) void invalidate(SESSION)
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

/** Failures in a row after which people are told why they see no content. */
const TOLD_AFTER = 2

/** The page itself was the first answer. */
let answeredAt = Date.now()

queries.getQueryCache().subscribe((event) => {
  if (event.type === 'updated') {
    const { action, query } = event
    const isSession = query.queryKey[0] === SESSION
    if (action.type === 'success') {
      answeredAt = Date.now()
      if (isSession) answersAgain()
    } else if (isSession && action.type === 'error' && !isUnanswered(action.error)) {
      answersAgain()
    } else if (
      isSession &&
      action.type === 'failed' &&
      action.failureCount >= TOLD_AFTER &&
      isUnanswered(action.error)
    ) {
      setLastAnswer(answeredAt)
    }
  }
  setReadsFailing(
    queries
      .getQueryCache()
      .findAll({ type: 'active', fetchStatus: 'fetching' })
      .some(
        ({ state }) =>
          state.status === 'pending' &&
          state.fetchFailureCount >= TOLD_AFTER &&
          isUnavailable(state.fetchFailureReason),
      ),
  )
})

/** Queries that got no answer, and were not read again since, are read now. */
function answersAgain(): void {
  if (!setLastAnswer(null)) return
  void queries.invalidateQueries({ predicate: ({ state }) => isUnanswered(state.error) })
}

type ReadRoute = Extract<JsonRoute, `GET ${string}`>

/** The query of a route. Its key is the name of the route, and the parts of the request. */
export function read<Name extends ReadRoute>(name: Name, ...[parts]: CallInput<Name>) {
  const get = call as (name: Name, parts: object) => Promise<JsonAnswer<Name>>
  return queryOptions({
    queryKey: [name, parts] as const,
    queryFn: ({ signal }) => get(name, { ...parts, signal }),
  })
}

/** Makes a change, then reloads the answers of the `stale` routes. A refused change may mean that they are old, too. */
export async function change<Name extends JsonRoute>(
  name: Name,
  parts: Parts<Name>,
  ...stale: readonly ReadRoute[]
): Promise<JsonAnswer<Name>> {
  try {
    return await (call as (name: Name, parts: object) => Promise<JsonAnswer<Name>>)(name, parts)
  } finally {
    await invalidate(...stale)
  }
}

/** Reloads the answers of these routes: at once if they are on screen, otherwise when next used. */
export async function invalidate(...names: readonly ReadRoute[]): Promise<void> {
  await Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })))
}

/** The service has answered that there is no such thing, or that it belongs to another company. */
export function isMissing({ error }: { error: Error | null }): boolean {
  return error instanceof ApiError && error.status === 404
}
