/** The list, page by page, and what changes in it as it does. */
import { type InfiniteData, infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { ApiError, get, pathOf } from '../../api/client.ts'
import { type Changes, toldSince, useLive } from '../../api/live.ts'
import { queries } from '../../api/queries.ts'
import { type Email, type EmailsPage, withChanged, withHead } from './merge.ts'
import { askedFor, type EmailsSearch, isNarrowed } from './search.ts'

/** Ms between two times that the newest are asked for again. */
const HEAD_MS = 2_500
const PAGE = 100

type Cached = InfiniteData<EmailsPage, string | undefined>

function ask(company: string, search: EmailsSearch, cursor?: string, signal?: AbortSignal) {
  const path = `/companies${pathOf(company)}/emails`
  return get<EmailsPage>(path, { ...askedFor(search), cursor, limit: PAGE }, signal)
}

const emailsQuery = (company: string, search: EmailsSearch) =>
  infiniteQueryOptions({
    queryKey: ['emails', company, search],
    queryFn: ({ pageParam, signal }) => ask(company, search, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    // What changes is told; to ask for all pages again would take as long as to scroll through them.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10 * 60_000,
    refetchOnReconnect: false,
  })

/**
 * Asks for the beginning of a list before it takes the place of another. What cannot be asked like that, in a sentence;
 * null: it is there.
 */
export async function trySearch(company: string, search: EmailsSearch): Promise<string | null> {
  try {
    await queries.fetchInfiniteQuery(emailsQuery(company, search))
    return null
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) return error.message
    // The list says it, and offers to try again.
    return null
  }
}

export interface Emails {
  emails: readonly Email[]
  /** Nothing has come yet. */
  pending: boolean
  error: Error | null
  again: () => void
  more: (() => void) | null
  loadingMore: boolean
  /** More has come than fits above what is shown: it is to be asked for anew. */
  behind: boolean
  /** From the newest on. */
  restart: () => Promise<void>
}

/**
 * For one list: another one is another component. `isAtTop`: somebody looks at the newest, so that others may take their place.
 */
export function useEmails(company: string, search: EmailsSearch, isAtTop: () => boolean): Emails {
  const options = useMemo(() => emailsQuery(company, search), [company, search])
  const { queryKey } = options
  const query = useInfiniteQuery(options)
  const [behind, setBehind] = useState(false)
  const narrowed = isNarrowed(search)
  const asking = useRef<number | null>(null)
  const askedAt = useRef(0)

  const put = (change: (pages: EmailsPage[]) => EmailsPage[]) =>
    queries.setQueryData<Cached>(queryKey, (old) => old && { ...old, pages: change(old.pages) })

  const restart = async () => {
    const head = await queries.fetchQuery({
      queryKey: ['emails head', company, search],
      queryFn: ({ signal }) => ask(company, search, undefined, signal),
      staleTime: 0,
      gcTime: 0,
    })
    queries.setQueryData<Cached>(queryKey, { pages: [head], pageParams: [undefined] })
    setBehind(false)
  }

  /** What cannot be told one by one is asked for, now and then. */
  const askSoon = () => {
    if (asking.current !== null) return
    const wait = Math.max(0, askedAt.current + HEAD_MS - performance.now())
    asking.current = window.setTimeout(async () => {
      try {
        const head = await ask(company, search)
        put((pages) => {
          const merged = withHead(pages, head)
          if (merged !== null) return merged
          if (head.next === null || isAtTop()) return [head]
          setBehind(true)
          return pages
        })
        // As many pages as there are parameters of them.
        queries.setQueryData<Cached>(
          queryKey,
          (old) => old && { ...old, pageParams: old.pageParams.slice(0, old.pages.length) },
        )
      } catch {
        // Whoever has been away is told again what has changed since.
      } finally {
        askedAt.current = performance.now()
        asking.current = null
      }
    }, wait)
  }
  useEffect(
    () => () => {
      window.clearTimeout(asking.current ?? undefined)
      asking.current = null
    },
    [],
  )

  const apply = ({ emails, more, cursor }: Changes) => {
    if (emails.length === 0 && !more) return
    put((pages) => {
      const changed = withChanged(pages, emails, !narrowed && !behind)
      return changed.map((page, index) =>
        index === 0 ? { ...page, cursor: Math.max(page.cursor, cursor) } : page,
      )
    })
    if (more || narrowed) askSoon()
  }
  useLive(company, apply)

  /** What came between the moment that the list is of, and the one from which on it is told what comes. */
  const catchUp = useEffectEvent(() => {
    const missed = toldSince(company, query.data!.pages[0]!.cursor)
    if (missed === null) askSoon()
    else for (const changes of missed) apply(changes)
  })
  const loaded = query.data !== undefined
  useEffect(() => {
    if (loaded) catchUp()
  }, [loaded])

  const emails = useMemo(() => rowsOf(query.data?.pages ?? []), [query.data])
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  return {
    emails,
    pending: query.isPending,
    error: query.error,
    again: () => void (query.data === undefined ? query.refetch() : fetchNextPage()),
    more: hasNextPage && !isFetchingNextPage && !isFetchNextPageError ? () => void fetchNextPage() : null,
    loadingMore: isFetchingNextPage,
    behind,
    restart,
  }
}

/** Each once: pages may meet where something came between two questions. */
function rowsOf(pages: readonly EmailsPage[]): Email[] {
  const seen = new Set<string>()
  return pages.flatMap(({ emails }) => emails.filter(({ id }) => !seen.has(id) && seen.add(id)))
}
