/** The words of a filter of emails, compared with the subjects, answers and texts of those that lists lead to. */
import type { EmailFilter, EmailSummary, PlacedEmail } from '../email/stored-email.ts'
import { filedPart, offsetOfWord, phraseStart, wordsIn } from '../store/searched-words.ts'
import type { EmailStore } from '../store/store.ts'

/** Emails whose answers or texts are read at once. */
const AT_ONCE = 50

/** Words that were found outside of the subject. */
export interface FoundWords {
  place: 'reply' | 'text'
  /** The words around them. */
  excerpt: string
}

/** One after the other, as folded words. */
type Phrase = readonly string[]

/** The phrases that are wanted of the text of an email. */
export interface WantedText {
  id: string
  phrases: readonly Phrase[]
}

/**
 * Reads the texts of emails, and finds those that have all of their phrases: excerpts by id. `companyId`: null for any.
 */
export type TextSearch = (
  wanted: readonly WantedText[],
  companyId: string | null,
) => Promise<ReadonlyMap<string, string>>

export interface MatchedEmail extends PlacedEmail {
  found: FoundWords | null
}

/** `text`: the words of any place may be in the text as well. */
export type SearchedPlaces = 'listed' | 'text'

export class WordMatch {
  readonly #store: Pick<EmailStore, 'readReplies'>
  readonly #texts: TextSearch | null
  readonly #companyId: string | null
  readonly #subject: Phrase[]
  readonly #reply: Phrase[]
  readonly #text: Phrase[]
  readonly #any: Phrase[]

  /** `texts`: null where nobody can ask for words of texts. */
  constructor(
    store: Pick<EmailStore, 'readReplies'>,
    { companyId, words, replyWords, textWords, anyWords }: EmailFilter,
    texts: TextSearch | null,
  ) {
    this.#store = store
    this.#texts = texts
    this.#companyId = companyId
    this.#subject = phrasesOf(words)
    this.#reply = phrasesOf(replyWords)
    this.#text = phrasesOf(textWords)
    this.#any = phrasesOf(anyWords)
  }

  /** Emails have to be compared with words at all. */
  get matters(): boolean {
    return [this.#subject, this.#reply, this.#text, this.#any].some(({ length }) => length > 0)
  }

  /** In their order. */
  async matching(emails: readonly PlacedEmail[], places: SearchedPlaces): Promise<MatchedEmail[]> {
    const found: MatchedEmail[] = []
    for (let from = 0; from < emails.length; from += AT_ONCE) {
      found.push(...(await this.#some(emails.slice(from, from + AT_ONCE), places)))
    }
    return found
  }

  /** The first ones, until there are `limit` of them or more, and how many were examined for that. */
  async first(
    emails: readonly PlacedEmail[],
    places: SearchedPlaces,
    limit: number,
  ): Promise<{ matched: MatchedEmail[]; examined: number }> {
    const matched: MatchedEmail[] = []
    let examined = 0
    while (examined < emails.length && matched.length < limit) {
      const some = emails.slice(examined, examined + AT_ONCE)
      matched.push(...(await this.#some(some, places)))
      examined += some.length
    }
    return { matched, examined }
  }

  async #some(emails: readonly PlacedEmail[], places: SearchedPlaces): Promise<MatchedEmail[]> {
    const open = emails
      .map((placed) => new OpenEmail(placed))
      .filter((each) => each.hasInSubject(this.#subject))
    for (const each of open) each.want(this.#any, this.#reply)
    const unanswered = open.filter((each) => each.wantsReplies)
    if (unanswered.length > 0) {
      const replies = await this.#store.readReplies(unanswered.map(({ email }) => email.id))
      const byId = new Map(replies.map((each) => [each.id, each.replies]))
      for (const each of unanswered) each.take(byId.get(each.email.id) ?? [])
    }
    const rest = open.filter(({ reply }) => reply.length === 0)
    const wanted = rest.map((each) => {
      return { each, phrases: places === 'text' ? [...this.#text, ...each.any] : this.#text }
    })
    const asked = wanted.filter(({ phrases }) => phrases.length > 0)
    const texts = await this.#textsOf(asked.map(({ each, phrases }) => ({ id: each.email.id, phrases })))
    return wanted
      .filter(({ each, phrases }) => {
        if (places === 'listed' && each.any.length > 0) return false
        return phrases.length === 0 || texts.has(each.email.id)
      })
      .map(({ each }) => each.matched(texts.get(each.email.id)))
  }

  async #textsOf(wanted: readonly WantedText[]): Promise<ReadonlyMap<string, string>> {
    if (wanted.length === 0 || this.#texts === null) return new Map()
    return await this.#texts(wanted, this.#companyId)
  }
}

/** An email with the phrases that were not found in it yet. */
class OpenEmail {
  any: readonly Phrase[] = []
  reply: readonly Phrase[] = []
  readonly #placed: PlacedEmail
  readonly #subject: readonly string[]
  #found: FoundWords | null = null

  constructor(placed: PlacedEmail) {
    this.#placed = placed
    this.#subject = filedPart(placed.email.subject)
  }

  get email(): EmailSummary {
    return this.#placed.email
  }

  get wantsReplies(): boolean {
    return this.any.length > 0 || this.reply.length > 0
  }

  hasInSubject(phrases: readonly Phrase[]): boolean {
    return phrases.every((phrase) => phraseStart(this.#subject, phrase) >= 0)
  }

  /** Of those of any place, the ones that are not in the subject. */
  want(any: readonly Phrase[], reply: readonly Phrase[]): void {
    this.any = any.filter((phrase) => phraseStart(this.#subject, phrase) < 0)
    this.reply = reply
  }

  take(replies: readonly string[]): void {
    const read = replies.map((reply) => ({ reply, words: wordsIn(reply) }))
    const isMissing = (phrase: Phrase) => {
      for (const { reply, words } of read) {
        const at = phraseStart(words, phrase)
        if (at < 0) continue
        this.#found ??= { place: 'reply', excerpt: excerptAt(reply, offsetOfWord(reply, at)) }
        return false
      }
      return true
    }
    this.reply = this.reply.filter(isMissing)
    this.any = this.any.filter(isMissing)
  }

  matched(text: string | undefined): MatchedEmail {
    const found = text === undefined ? this.#found : ({ place: 'text', excerpt: text } as const)
    return { ...this.#placed, found }
  }
}

/** Each once. */
function phrasesOf(texts: readonly string[] = []): Phrase[] {
  const phrases = texts.map(wordsIn).filter(({ length }) => length > 0)
  return [...new Map(phrases.map((phrase) => [phrase.join(' '), phrase])).values()]
}

/** Characters before the words that were found, and of the whole excerpt. */
const BEFORE = 24
const LONGEST = 160

/** One line of the text, with the words that begin at `offset`. */
export function excerptAt(text: string, offset: number): string {
  const start = offset <= BEFORE ? 0 : startOfWord(text, offset)
  const line = text
    .slice(start, start + 2 * LONGEST)
    .replace(/\s+/g, ' ')
    .trim()
  return `${start > 0 ? '…' : ''}${line.slice(0, LONGEST).toWellFormed()}`
}

/** A word that would be cut in two is left out. */
function startOfWord(text: string, offset: number): number {
  const before = text.slice(offset - BEFORE, offset)
  const space = before.search(/\s/)
  return space < 0 ? offset : offset - BEFORE + space + 1
}
