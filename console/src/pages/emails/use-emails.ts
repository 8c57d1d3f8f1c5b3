/** Loads the list page by page, and applies live changes to it. */

import { type InfiniteData, infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { call, isRefusal } from '../../api/client.ts'
import { changesSince, type LiveChanges, useLive } from '../../api/live.ts'
import { queries } from '../../api/queries.ts'
import { sleep } from '../../api/sleep.ts'
import { type EmailListItem, type EmailsPage, type EmailWords, withChanged, withHead } from './merge.ts'
import { type EmailsSearch, isNarrowed, queryParamsOf } from './search.ts'

/** Milliseconds between two requests for the newest page, at least. */
const HEAD_MS = 2_000
/** A pause is also so many times as long as the last answer took: a search that reads texts costs the service more. */
const PAUSES_PER_ANSWER = 9
/** An unfinished search is kept until its list is there. A link to it is another matter. */
const TYPED_KEPT_MS = 5_000
const PAGE = 100
const LIST = 'GET /companies/:company/emails'

type EmailsCache = InfiniteData<EmailsPage, string | undefined>

interface EmailsRequest {
  company: string
  search: EmailsSearch
  /** The search is still being typed, so its last term may be incomplete. Only the list shows what it finds. */
  typing?: true | undefined
}

function ask({ company, search, typing }: EmailsRequest, cursor?: string, signal?: AbortSignal) {
  const query = { ...queryParamsOf(search), typing, cursor, limit: PAGE }
  return call(LIST, { company, query, signal })
}

export const emailsQuery = (company: string, search: EmailsSearch, typing?: true) =>
  infiniteQueryOptions({
    queryKey: [LIST, { company, search, ...(typing && { typing }) }],
    queryFn: ({ pageParam, signal }) => ask({ company, search, typing }, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    // Changes arrive over the live stream; reloading all pages would take as long as scrolling through them.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: typing ? TYPED_KEPT_MS : 10 * 60_000,
    refetchOnReconnect: false,
  })

export interface SearchCheck {
  /** The list can show it. */
  accepted: boolean
  /** The message of the server that refuses it, or will once it is no longer being typed; `null`: it is complete. */
  problem: string | null
}

/** Loads the first page of a search before the list switches to it. */
export async function checkSearch({ company, search, typing }: EmailsRequest): Promise<SearchCheck> {
  const whole = emailsQuery(company, search)
  try {
    if (!typing || queries.getQueryData(whole.queryKey) !== undefined) {
      await queries.fetchInfiniteQuery(whole)
      return { accepted: true, problem: null }
    }
    const begun = emailsQuery(company, search, typing)
    const found = await queries.fetchInfiniteQuery(begun)
    const problem = found.pages[0]?.unfinished ?? null
    if (problem === null) {
      queries.setQueryData(whole.queryKey, found)
      queries.removeQueries({ queryKey: begun.queryKey, exact: true })
    }
    return { accepted: true, problem }
  } catch (error) {
    if (isRefusal(error)) return { accepted: false, problem: error.message }
    // Other errors are shown by the list, which offers to try again.
    return { accepted: true, problem: null }
  }
}

/** The search has just been typed, and is unfinished. */
function isBegun(company: string, search: EmailsSearch): boolean {
  return queries.getQueryData(emailsQuery(company, search, true).queryKey) !== undefined
}

export interface Emails {
  emails: readonly EmailListItem[]
  /** Nothing has been loaded yet. */
  pending: boolean
  error: Error | null
  again: () => void
  /** Where words of the search were found that are not in the subject, by the email's id. */
  found: ReadonlyMap<string, EmailWords>
  /** The texts that were searched; `null`: the search does not ask for it. */
  texts: EmailsPage['texts']
  more: (() => void) | null
  loadingMore: boolean
  /** The newest page no longer reaches down to the rows shown, so the list has to be reloaded. */
  behind: boolean
  /** Reloads the list from the newest email. */
  restart: () => Promise<void>
}

/**
 * Manages one list; another search mounts another component. `isAtTop`: whether the viewer is at the top, so
 * that the newest page may replace the list.
 */
export function useEmails(company: string, search: EmailsSearch, isAtTop: () => boolean): Emails {
  const [typing] = useState<true | undefined>(() => (isBegun(company, search) ? true : undefined))
  const options = useMemo(() => emailsQuery(company, search, typing), [company, search, typing])
  const { queryKey } = options
  const query = useInfiniteQuery(options)
  const [behind, setBehind] = useState(false)
  const narrowed = isNarrowed(search)
  const asks = useRef({ wanted: false, running: false, gone: false, notBefore: 0 })

  const put = (change: (pages: EmailsPage[]) => EmailsPage[]) =>
    queries.setQueryData<EmailsCache>(queryKey, (old) => old && { ...old, pages: change(old.pages) })

  const putHead = (head: EmailsPage) => {
    put((pages) => {
      const merged = withHead(pages, head)
      if (merged !== null) return merged
      if (head.next === null || isAtTop()) return [head]
      setBehind(true)
      return pages
    })
    // React Query needs as many page parameters as pages.
    queries.setQueryData<EmailsCache>(
      queryKey,
      (old) => old && { ...old, pageParams: old.pageParams.slice(0, old.pages.length) },
    )
  }

  const restart = async () => {
    const head = await queries.fetchQuery({
      queryKey: [LIST, 'head', { company, search }],
      queryFn: ({ signal }) => ask({ company, search, typing }, undefined, signal),
      staleTime: 0,
      gcTime: 0,
    })
    queries.setQueryData<EmailsCache>(queryKey, { pages: [head], pageParams: [undefined] })
    setBehind(false)
  }

  /**
   * Reloads the newest page after changes that the stream does not list one by one, however many: with a pause after each
   * time, and only while the page is seen.
   */
  const askSoon = async () => {
    asks.current.wanted = true
    if (asks.current.running) return
    asks.current.running = true
    while (asks.current.wanted) {
      await sleep(asks.current.notBefore - performance.now())
      await seen()
      if (asks.current.gone) return
      asks.current.wanted = false
      const began = performance.now()
      try {
        putHead(await ask({ company, search, typing }))
      } catch {
        // After an interruption the live stream repeats the changes since.
      }
      const now = performance.now()
      asks.current.notBefore = now + Math.max(HEAD_MS, PAUSES_PER_ANSWER * (now - began))
    }
    asks.current.running = false
  }
  useEffect(() => {
    asks.current.gone = false
    return () => {
      asks.current.gone = true
    }
  }, [])

  const apply = ({ emails, more, cursor }: LiveChanges) => {
    if (emails.length === 0 && !more) {
      // A page that was loaded hidden has no stream until it is seen, and that one begins behind the list.
      const listed = queries.getQueryData<EmailsCache>(queryKey)?.pages[0]?.cursor
      if (listed !== undefined && changesSince(company, listed) === null) void askSoon()
      return
    }
    put((pages) => {
      const changed = withChanged(pages, emails, !narrowed && !behind)
      return changed.map((page, index) =>
        index === 0 ? { ...page, cursor: Math.max(page.cursor, cursor) } : page,
      )
    })
    if (more || narrowed) void askSoon()
  }
  useLive(company, apply)

  /** Applies the changes between the request for the list and the subscription to the stream. */
  const catchUp = useEffectEvent(() => {
    const missed = changesSince(company, query.data!.pages[0]!.cursor)
    if (missed === null) void askSoon()
    else for (const changes of missed) apply(changes)
  })
  const loaded = query.data !== undefined
  useEffect(() => {
    if (loaded) catchUp()
  }, [loaded])

  const emails = useMemo(() => rowsOf(query.data?.pages ?? []), [query.data])
  const found = useMemo(() => foundIn(query.data?.pages ?? []), [query.data])
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  return {
    emails,
    pending: query.isPending,
    error: query.error,
    found,
    texts: query.data?.pages[0]?.texts ?? null,
    again: () => void (query.data === undefined ? query.refetch() : fetchNextPage()),
    more: hasNextPage && !isFetchingNextPage && !isFetchNextPageError ? () => void fetchNextPage() : null,
    loadingMore: isFetchingNextPage,
    behind,
    restart,
  }
}

/** Resolves at once, or when a hidden page is shown again. */
function seen(): Promise<unknown> {
  if (!document.hidden) return Promise.resolve()
  return new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
}

/** Removes duplicates: pages may overlap if an email arrived between two requests. */
function rowsOf(pages: readonly EmailsPage[]): EmailListItem[] {
  const seen = new Set<string>()
  return pages.flatMap(({ emails }) => emails.filter(({ id }) => !seen.has(id) && seen.add(id)))
}

function foundIn(pages: readonly EmailsPage[]): Map<string, EmailWords> {
  return new Map(pages.flatMap(({ words }) => words.map((each) => [each.id, each] as const)))
}
