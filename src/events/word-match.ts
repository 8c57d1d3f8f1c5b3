/**
 * The part of an email filter that no database evaluates: statuses, and words. They are compared with the subjects,
 * addresses, answers and texts of the emails that the lists yield.
 */
import type { EmailFilter, EmailSummary, EmailWithPlace } from '../email/stored-email.ts'
import {
  FILED_RECIPIENTS,
  filedPart,
  MAX_WORDS,
  type Phrase,
  phraseAt,
  wordsIn,
} from '../store/searched-words.ts'
import type { EmailStore } from '../store/store.ts'
import { matchReplies, type ReplyMatches, type SearchedReplies } from './reply-match.ts'

/** Emails whose answers or texts are read at once. */
const AT_ONCE = 50

/** Words that were found outside of the subject. */
export interface WordExcerpt {
  place: 'address' | 'reply' | 'text'
  /** The words around them. */
  excerpt: string
}

/** Reads addresses and answers. */
export type WordStore = Pick<EmailStore, 'readAddresses' | 'readReplies'>

/** The words and phrases that the content of an email has to contain. */
interface WantedText {
  id: string
  phrases: readonly Phrase[]
  /** Whether it must have files besides inline pictures. */
  attached: boolean
}

/** Returns excerpts by id for the emails whose texts and files meet the conditions. `companyId`: null for any. */
export type TextSearch = (
  wanted: readonly WantedText[],
  companyId: string | null,
) => Promise<ReadonlyMap<string, string>>

/**
 * Returns the matches by id for the emails that have any of their phrases in their answers or addresses. `companyId`:
 * null for any.
 */
export type ReplySearch = (
  searched: readonly SearchedReplies[],
  companyId: string | null,
) => Promise<ReadonlyMap<string, ReplyMatches>>

/** Returns the ids of the emails that have a wanted status. */
export type StatusSearch = (emails: readonly EmailSummary[]) => Promise<ReadonlySet<string>>

/** The functions that compare words with the texts of strangers. */
export interface WordSearches {
  /** Null: emails with any status are wanted. */
  statuses: StatusSearch | null
  /** Null: the filter cannot have words of texts. */
  texts: TextSearch | null
  replies: ReplySearch
}

/** Compares on this thread: for tests, and for filters that cannot have words. */
export const SEARCHES_HERE: WordSearches = {
  statuses: null,
  texts: null,
  replies: async (searched) => new Map(matchReplies(searched)),
}

export interface MatchedEmail extends EmailWithPlace {
  found: WordExcerpt | null
}

/** `text`: the words of any place may be in the text as well. */
export type SearchedPlaces = 'listed' | 'text'

export class WordMatch {
  readonly #store: WordStore
  readonly #searches: WordSearches
  readonly #companyId: string | null
  readonly #subject: Phrase[]
  readonly #reply: Phrase[]
  readonly #text: Phrase[]
  readonly #attached: boolean
  readonly #any: Phrase[]
  /** The phrases of any place that are whole addresses. */
  readonly #exact: string[]

  constructor(
    store: WordStore,
    { companyId, words, replyWords, textWords, anyWords, anyWordsOpen, attachments }: EmailFilter,
    searches: WordSearches,
  ) {
    this.#store = store
    this.#searches = searches
    this.#companyId = companyId
    this.#subject = phrasesOf(words)
    this.#reply = phrasesOf(replyWords)
    this.#text = phrasesOf(textWords)
    // Only ready messages must be read for this: the store knows the files of all other emails.
    this.#attached = attachments === true && searches.texts !== null
    this.#any = phrasesOf(anyWords, anyWordsOpen === true)
    this.#exact = (anyWords ?? []).filter(isWholeAddress)
  }

  /** Whether the filter has such a part at all. */
  get matters(): boolean {
    if (this.#searches.statuses !== null || this.#attached) return true
    return [this.#subject, this.#reply, this.#text, this.#any].some(({ length }) => length > 0)
  }

  /** The matching emails, in their order. */
  async matching(emails: readonly EmailWithPlace[], places: SearchedPlaces): Promise<MatchedEmail[]> {
    const found: MatchedEmail[] = []
    for (let from = 0; from < emails.length; from += AT_ONCE) {
      found.push(...(await this.#some(emails.slice(from, from + AT_ONCE), places)))
    }
    return found
  }

  /** The first matching emails, at least `limit` if there are enough, and the number of examined emails. */
  async first(
    emails: readonly EmailWithPlace[],
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

  async #some(emails: readonly EmailWithPlace[], places: SearchedPlaces): Promise<MatchedEmail[]> {
    const { statuses } = this.#searches
    const wanted = await statuses?.(emails.map(({ email }) => email))
    const open = emails
      .filter(({ email }) => wanted?.has(email.id) ?? true)
      .map((placed) => new OpenEmail(placed))
      .filter((each) => each.hasInSubject(this.#subject))
    for (const each of open) each.want(this.#any, this.#reply)
    await this.#lookInAddresses(open.filter((each) => each.any.length > 0))
    await this.#lookInReplies(open.filter((each) => each.wantsReplies))
    const rest = open.filter(({ reply }) => reply.length === 0)
    const unread = rest.map((each) => {
      return { each, phrases: places === 'text' ? [...this.#text, ...each.any] : this.#text }
    })
    const attached = this.#attached
    const isAsked = ({ phrases }: { phrases: readonly Phrase[] }) => attached || phrases.length > 0
    const texts = await this.#textsOf(
      unread.filter(isAsked).map(({ each, phrases }) => ({ id: each.email.id, phrases, attached })),
    )
    return unread
      .filter((wanted) => {
        if (places === 'listed' && wanted.each.any.length > 0) return false
        return !isAsked(wanted) || texts.has(wanted.each.email.id)
      })
      .map(({ each }) => each.matched(texts.get(each.email.id)))
  }

  async #lookInAddresses(emails: readonly OpenEmail[]): Promise<void> {
    if (emails.length === 0) return
    const read = await this.#store.readAddresses(
      emails.map((each) => each.email.id),
      this.#exact,
    )
    const addresses = new Map(read.map((each) => [each.id, each.addresses]))
    const searched = emails.map(({ email, any }) => {
      return { id: email.id, replies: [...namedIn(email), ...(addresses.get(email.id) ?? [])], phrases: any }
    })
    const found = await this.#searches.replies(searched, this.#companyId)
    for (const each of emails) {
      const where = found.get(each.email.id)
      if (where !== undefined) each.takeAddress(where)
    }
  }

  async #lookInReplies(emails: readonly OpenEmail[]): Promise<void> {
    if (emails.length === 0) return
    const byId = new Map(emails.map((each) => [each.email.id, each]))
    const read = await this.#store.readReplies([...byId.keys()])
    const searched = read.map(({ id, replies }) => ({ id, replies, phrases: byId.get(id)!.missing }))
    const found = searched.length === 0 ? [] : await this.#searches.replies(searched, this.#companyId)
    for (const [id, where] of found) byId.get(id)!.take(where)
  }

  async #textsOf(wanted: readonly WantedText[]): Promise<ReadonlyMap<string, string>> {
    const { texts } = this.#searches
    if (wanted.length === 0 || texts === null) return new Map()
    return await texts(wanted, this.#companyId)
  }
}

/** An email with the phrases that are not yet found in it. */
class OpenEmail {
  any: readonly Phrase[] = []
  reply: readonly Phrase[] = []
  readonly #placed: EmailWithPlace
  readonly #subject: readonly string[]
  #found: WordExcerpt | null = null

  constructor(placed: EmailWithPlace) {
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
    return phrases.every((phrase) => phraseAt(this.#subject, phrase) >= 0)
  }

  /** Phrases of any place that are in the subject are not looked for elsewhere. */
  want(any: readonly Phrase[], reply: readonly Phrase[]): void {
    this.any = any.filter((phrase) => phraseAt(this.#subject, phrase) < 0)
    this.reply = reply
  }

  /** The phrases of answers come before those of any place. */
  get missing(): Phrase[] {
    return [...this.reply, ...this.any]
  }

  /** A list of emails shows the author and the first recipient, so a match in them needs no excerpt. */
  takeAddress({ phrases, excerpt }: ReplyMatches): void {
    const { from, to, cc, bcc } = this.email
    const shown = [from, to[0] ?? cc[0] ?? bcc[0] ?? '']
    if (!shown.some((text) => text.includes(excerpt))) this.#found = { place: 'address', excerpt }
    this.any = this.any.filter((_, index) => !phrases.has(index))
  }

  take({ phrases, excerpt }: ReplyMatches): void {
    const before = this.reply.length
    this.#found = { place: 'reply', excerpt }
    this.any = this.any.filter((_, index) => !phrases.has(before + index))
    this.reply = this.reply.filter((_, index) => !phrases.has(index))
  }

  matched(text: string | undefined): MatchedEmail {
    const found =
      text === undefined || text === '' ? this.#found : ({ place: 'text', excerpt: text } as const)
    return { ...this.#placed, found }
  }
}

/** The phrases without duplicates, each cut to the number of words under which a subject or answer is filed. */
function phrasesOf(texts: readonly string[] = [], lastIsOpen = false): Phrase[] {
  const phrases = texts.map((text, index) => {
    return { words: wordsIn(text).slice(0, MAX_WORDS), open: lastIsOpen && index === texts.length - 1 }
  })
  const some = phrases.filter(({ words }) => words.length > 0)
  return [...new Map(some.map((phrase) => [phrase.words.join(' '), phrase])).values()]
}

/** The beginnings of the fields that name people. */
function namedIn({ from, to, cc, bcc }: EmailSummary): string[] {
  return [from, ...[to, cc, bcc].flatMap((field) => field.slice(0, FILED_RECIPIENTS))]
}

/** Whether a phrase is a complete address. */
export function isWholeAddress(phrase: string): boolean {
  return /^[^\s@"]+@[^\s@".]+(?:\.[^\s@".]+)+$/.test(phrase)
}
