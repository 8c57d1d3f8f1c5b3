/** The snippets of emails. Those of rows that come into sight together are read with one request. */

import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { SNIPPETS } from '../../../../src/http/console/contract/emails.ts'
import { call } from '../../api/client.ts'
import type { EmailListItem } from './merge.ts'

type EmailSnippet = Static<typeof SNIPPETS>['snippets'][number]

interface WantedSnippet {
  id: string
  signal: AbortSignal
  resolve: (snippet: EmailSnippet | null) => void
  reject: (error: unknown) => void
}

/** The most snippets that one request reads. */
const MAX = 25
/** Milliseconds for which rows are collected: a list that scrolls fast drops most of them again. */
const COLLECTED_MS = 60

const waiting = new Map<string, WantedSnippet[]>()

/** `null`: the email is gone. */
export const snippetQuery = ({ company, id }: Pick<EmailListItem, 'company' | 'id'>) =>
  queryOptions({
    queryKey: ['snippet', id],
    queryFn: ({ signal }) =>
      new Promise<EmailSnippet | null>((resolve, reject) => {
        if (!waiting.has(company)) {
          waiting.set(company, [])
          window.setTimeout(() => readAll(company), COLLECTED_MS)
        }
        waiting.get(company)!.push({ id, signal, resolve, reject })
      }),
    // The content of an email does not change.
    staleTime: Number.POSITIVE_INFINITY,
  })

function readAll(company: string): void {
  const wanted = waiting.get(company)!.filter(({ signal }) => !signal.aborted)
  waiting.delete(company)
  for (let from = 0; from < wanted.length; from += MAX) void readSome(company, wanted.slice(from, from + MAX))
}

async function readSome(company: string, wanted: readonly WantedSnippet[]): Promise<void> {
  try {
    const query = { ids: wanted.map(({ id }) => id).join(',') }
    const { snippets } = await call('GET /companies/:company/emails/snippets', { company, query })
    const found = new Map(snippets.map((snippet) => [snippet.id, snippet]))
    for (const { id, resolve } of wanted) resolve(found.get(id) ?? null)
  } catch (error) {
    for (const { reject } of wanted) reject(error)
  }
}
