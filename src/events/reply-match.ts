/** Finds words in short texts about emails, which are untrusted: addresses, and answers of servers. Pure. */
import { offsetOfWord, type Phrase, phraseAt, wordsIn } from '../store/searched-words.ts'
import { excerptAt } from './excerpt.ts'

/** The texts about an email, and the phrases to find in them. */
export interface SearchedReplies {
  id: string
  replies: readonly string[]
  phrases: readonly Phrase[]
}

export interface ReplyMatches {
  /** The indices of the phrases that stand in one of the answers. */
  phrases: ReadonlySet<number>
  /** The words around the first of them. */
  excerpt: string
}

/** The emails whose answers have any of their phrases. */
export function matchReplies(searched: readonly SearchedReplies[]): [id: string, found: ReplyMatches][] {
  return searched.flatMap(({ id, replies, phrases }): [string, ReplyMatches][] => {
    const read = replies.map((reply) => ({ reply, words: wordsIn(reply) }))
    const found = new Set<number>()
    let excerpt: string | null = null
    for (const [index, phrase] of phrases.entries()) {
      for (const { reply, words } of read) {
        const at = phraseAt(words, phrase)
        if (at < 0) continue
        found.add(index)
        excerpt ??= excerptAt(reply, offsetOfWord(reply, at))
        break
      }
    }
    return excerpt === null ? [] : [[id, { phrases: found, excerpt }]]
  })
}
