/**
 * Searches the texts of emails, as long as their content is kept. They are in no index, so that nothing of them stays.
 */
import type { SearchedText } from '../events/text-match.ts'
import { matchTexts } from '../events/text-match.ts'
import type { TextSearch } from '../events/word-match.ts'
import { jobAt } from '../workers/job.ts'
import type { Operation } from './verb.ts'

const job = jobAt<SearchedText[], [string, string][]>(
  new URL('../events/match-texts-job.ts', import.meta.url),
)

/** Octets of each email that are searched. */
const BEGINNING = 8 * 1024
/** Octets of the texts that are searched on the main thread. */
const FEW_OCTETS = 4 * 1024
/** Takes the turn in the workers when all companies are searched. */
const EVERY_COMPANY = ''

export function textSearch({ store, workers }: Pick<Operation, 'store' | 'workers'>): TextSearch {
  return async (wanted, companyId) => {
    const phrases = new Map(wanted.map((each) => [each.id, each.phrases]))
    const beginnings = await store.readBeginnings([...phrases.keys()], companyId, BEGINNING)
    const texts = beginnings.map(({ id, text, html, raw }) => {
      return { id, text, html, raw, phrases: phrases.get(id)! }
    })
    const weight = texts.reduce((sum, { text, html, raw }) => {
      return sum + (text?.length ?? 0) + (html?.length ?? 0) + (raw?.byteLength ?? 0)
    }, 0)
    if (workers === null || weight <= FEW_OCTETS) return new Map(matchTexts(texts))
    return new Map(await workers.run(job, texts, { company: companyId ?? EVERY_COMPANY, weight }))
  }
}
