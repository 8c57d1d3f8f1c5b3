/** The words of a reply as phrases are searched for in them. */
import { QUOTING } from './phrases.ts'

/** Searched for in a reply: the longest of what servers say is a few hundred characters. */
const MOST = 1_000

/** In lower case, and without addresses: these are chosen by others, and may read like anything. */
export function plainWords(words: string): string {
  return words
    .slice(0, MOST)
    .toLowerCase()
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[^\s<>()[\],;:"']+/g, withoutAddress)
    .replace(/\s+/g, ' ')
}

function withoutAddress(word: string): string {
  const at = word.indexOf('@', 1)
  return at === -1 || at === word.length - 1 ? word : ' '
}

/**
 * The plain words up to the first quotation of another server. A server that verifies a recipient repeats what it was
 * told there, and anybody can run a domain whose server says anything.
 */
export function ownWords(words: string): string {
  const ends = QUOTING.map((pattern) => words.search(pattern)).filter((at) => at !== -1)
  return ends.length === 0 ? words : words.slice(0, Math.min(...ends))
}

/** Tells whether one of the phrases of a topic is in the words. */
export type TopicMatch = (topic: readonly RegExp[]) => boolean

export function speaks(words: string): TopicMatch {
  return (topic) => words !== '' && topic.some((pattern) => pattern.test(words))
}
