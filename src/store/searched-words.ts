/**
 * The words that subjects, answers of servers and texts are searched by: runs of letters and digits, without regard to
 * case and accents. In scripts that put no spaces between words, each pair of adjacent characters is a word.
 */

/** Characters of a subject or answer that are looked at, and words that are filed. */
export const FILED_CHARACTERS = 300
export const MAX_WORDS = 24
/** Recipients of an email whose addresses are filed by word: the first ones. */
export const FILED_RECIPIENTS = 100
/** Characters of the longest words of an answer that are filed: longer words are ids, which nobody types. */
const LONGEST_OF_REPLY = 32

const WORD = /[\p{L}\p{M}\p{N}]+/gu
const ASCII_WORD = /[a-z0-9]+/g
const ACCENTS = /[\u0300-\u036f]+/g
const ASCII = /^[\0-\x7f]*$/
const URL_IN_REPLY = /https?:\/\/\S*/gi
const UNDIVIDED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu

/** Words that stand one after the other, folded. */
export interface Phrase {
  words: readonly string[]
  /** The last word is still being typed, so it may be the beginning of a word. */
  open: boolean
}

/** In their order, with repetitions. */
export function wordsIn(text: string): string[] {
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? []
  const folded = text.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase()
  return (folded.match(WORD) ?? []).flatMap(wordsOfRun)
}

/** The words that a subject, a list of addresses or one address is filed under, each once. */
export function filedWords(subject: string): Set<string> {
  return new Set(filedPart(subject))
}

/** The words that an answer of a server is filed under, each once. Those of URLs are not. */
export function filedReplyWords(reply: string): Set<string> {
  const words = filedPart(reply.replace(URL_IN_REPLY, ' '))
  return new Set(words.filter(({ length }) => length <= LONGEST_OF_REPLY))
}

/** The index at which the words of a phrase stand one after the other; -1: they do not. */
export function phraseStart(words: readonly string[], phrase: readonly string[]): number {
  if (phrase.length === 0) return 0
  return startsOf(words, phrase).next().value ?? -1
}

/** The same for a phrase whose last word may be the beginning of one. */
export function phraseAt(words: readonly string[], { words: phrase, open }: Phrase): number {
  const begun = phrase.at(-1)
  if (!open || begun === undefined) return phraseStart(words, phrase)
  if (phrase.length === 1) return words.findIndex((word) => word.startsWith(begun))
  for (const at of startsOf(words, phrase.slice(0, -1)))
    if (words[at + phrase.length - 1]?.startsWith(begun) === true) return at
  return -1
}

/**
 * Each index at which the words of a phrase stand one after the other. Uses the algorithm of Knuth, Morris and Pratt,
 * whose time is linear, because the phrase and the words come from strangers.
 */
function* startsOf(words: readonly string[], phrase: readonly string[]): Generator<number, undefined> {
  let back: number[] | null = null
  let matched = 0
  for (const [at, word] of words.entries()) {
    while (matched > 0 && phrase[matched] !== word) {
      back ??= repeatsIn(phrase)
      matched = back[matched - 1]!
    }
    if (phrase[matched] === word) matched++
    if (matched < phrase.length) continue
    yield at + 1 - matched
    back ??= repeatsIn(phrase)
    matched = back[matched - 1]!
  }
}

/** For each beginning of a phrase: how many of its last words are its first words as well. */
function repeatsIn(phrase: readonly string[]): number[] {
  const repeats = [0]
  let length = 0
  for (let at = 1; at < phrase.length; at++) {
    while (length > 0 && phrase[length] !== phrase[at]) length = repeats[length - 1]!
    if (phrase[length] === phrase[at]) length++
    repeats.push(length)
  }
  return repeats
}

/** The offset in a text at which the run of characters begins that has its word with this index. */
export function offsetOfWord(text: string, index: number): number {
  let words = 0
  for (const { 0: part, index: offset } of text.matchAll(/\S+/g)) {
    const before = words
    words += wordsIn(part).length
    if (words > index) return offset + offsetInPart(part, index - before)
  }
  return text.length
}

/**
 * The same within a part without white space. Some of its words come from symbols, such as ™: the next run has them.
 */
function offsetInPart(part: string, index: number): number {
  let words = 0
  let last = 0
  for (const { 0: run, index: offset } of part.matchAll(WORD)) {
    words += wordsIn(run).length
    if (words > index) return offset
    last = offset
  }
  return last
}

/** The words of the beginning of a text, up to the limit of different words. */
export function filedPart(text: string): string[] {
  const words = wordsIn(text.slice(0, FILED_CHARACTERS))
  if (words.length <= MAX_WORDS) return words
  const different = new Set<string>()
  const end = words.findIndex((word) => different.add(word).size > MAX_WORDS)
  return end < 0 ? words : words.slice(0, end)
}

function wordsOfRun(word: string): string[] {
  const words: string[] = []
  let end = 0
  for (const { 0: run, index } of word.matchAll(UNDIVIDED)) {
    if (index > end) words.push(word.slice(end, index))
    words.push(...pairsIn(run))
    end = index + run.length
  }
  if (end < word.length) words.push(word.slice(end))
  return words
}

function pairsIn(run: string): string[] {
  const characters = [...run]
  if (characters.length < 2) return characters
  return characters.slice(1).map((character, at) => characters[at]! + character)
}
