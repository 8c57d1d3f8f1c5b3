/**
 * Looks for words in what strangers wrote: in the texts of emails, as long as their content is kept, and in the answers
 * of servers. Texts are in no index, so that nothing of them stays.
 */
import { matchReplies, type ReplyMatches, type SearchedReplies } from '../events/reply-match.ts'
import { matchTexts, type SearchedText } from '../events/text-match.ts'
import type { ReplySearch, TextSearch, WordSearches } from '../events/word-match.ts'
import { type Job, jobAt } from '../workers/job.ts'
import type { Operation } from './verb.ts'

/** A function that finds words, and the same function as a job. */
interface WordReader<Searched, Found> {
  here: (searched: readonly Searched[]) => [id: string, found: Found][]
  job: Job<readonly Searched[], [id: string, found: Found][]>
}

const TEXTS: WordReader<SearchedText, string> = {
  here: matchTexts,
  job: jobAt(new URL('../events/match-texts-job.ts', import.meta.url)),
}
const REPLIES: WordReader<SearchedReplies, ReplyMatches> = {
  here: matchReplies,
  job: jobAt(new URL('../events/match-replies-job.ts', import.meta.url)),
}

/** Octets of the text of each email that are searched. */
const BEGINNING = 8 * 1024
/** The same where files are looked for: as many as for the sign of files in the rows of lists. */
const BEGINNING_WITH_FILES = 16 * 1024
/** Octets that are searched on the main thread. */
const FEW_OCTETS = 4 * 1024
/** Takes the turn in the workers when all companies are searched. */
const EVERY_COMPANY = ''

type WordSearchParts = Pick<Operation, 'store' | 'workers'>

export function wordSearches(op: WordSearchParts): WordSearches {
  return { statuses: null, texts: textSearch(op), replies: replySearch(op) }
}

function textSearch(op: WordSearchParts): TextSearch {
  return async (wanted, companyId) => {
    const byId = new Map(wanted.map((each) => [each.id, each]))
    const octets = wanted.some(({ attached }) => attached) ? BEGINNING_WITH_FILES : BEGINNING
    const beginnings = await op.store.readBeginnings([...byId.keys()], companyId, octets)
    const texts = beginnings.map((beginning) => ({ ...beginning, ...byId.get(beginning.id)! }))
    const weight = texts.reduce((sum, { text, html, raw }) => {
      return sum + (text?.length ?? 0) + (html?.length ?? 0) + (raw?.byteLength ?? 0)
    }, 0)
    return await matched(op, TEXTS, texts, companyId, weight)
  }
}

function replySearch(op: WordSearchParts): ReplySearch {
  return async (searched, companyId) => {
    // Each answer is compared with each phrase.
    const weight = searched.reduce((sum, { replies, phrases }) => {
      return sum + phrases.length * replies.reduce((octets, { length }) => octets + length, 0)
    }, 0)
    return await matched(op, REPLIES, searched, companyId, weight)
  }
}

/** In a worker, unless there is little: strangers wrote it, and folding its words takes its time. */
async function matched<Searched, Found>(
  { workers }: WordSearchParts,
  { here, job }: WordReader<Searched, Found>,
  searched: readonly Searched[],
  companyId: string | null,
  weight: number,
): Promise<Map<string, Found>> {
  if (workers === null || weight <= FEW_OCTETS) return new Map(here(searched))
  return new Map(await workers.run(job, searched, { company: companyId ?? EVERY_COMPANY, weight }))
}
