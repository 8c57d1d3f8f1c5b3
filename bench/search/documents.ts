/** The indexed content of each finished email of `bench/history`, computed from its number. */
import { filedWords } from '../../src/store/searched-words.ts'
import { BOUNCED, TAGS, WATCHER, WEEKS_OF_HISTORY } from '../history/shape.ts'

export interface IndexedEmail {
  place: number
  terms: string[]
}

/** The terms of the digest by their names: the kind, a colon, the value. */
export const term = {
  /** Each company has one domain. */
  domain: (company: number) => `d:${company}`,
  tag: `t:${TAGS.all}`,
  campaign: (value: string) => `g:${value}`,
  address: (address: string) => `a:${address}`,
  word: (word: string) => `w:${word}`,
  addressWord: (word: string) => `n:${word}`,
  sender: (company: number) => `f:${company}`,
  bounced: 'e:bounced',
} satisfies Record<string, string | ((value: never) => string)>

/** The company of an email: the history gives them to its companies by turns. */
export function companyOf(number: number, companies: number): number {
  return number % companies
}

/** `first` is the place of the email with number 0. An event that most emails have is filed nowhere. */
export function indexed(first: number, number: number, companies: number): IndexedEmail {
  const watched = number % WATCHER.of === 1
  const address = watched
    ? `${WATCHER.local}@${WATCHER.domain}`
    : `n${number}@d${(number * 7_919) % WEEKS_OF_HISTORY.domains}.history.test`
  const words = [...filedWords(`Your order ${number} is on its way`)].map(term.word)
  const campaign = term.campaign(`c${Math.floor(number / TAGS.together)}`)
  const company = companyOf(number, companies)
  const named = [...filedWords(`Acme Orders <orders@acme-${company}.test> ${address}`)].map(term.addressWord)
  const own = [term.domain(company), term.sender(company), term.tag, campaign, term.address(address)]
  const terms = [...own, ...words, ...named]
  return { place: first + number, terms }
}

export function hasBounced(number: number): boolean {
  return number % BOUNCED === 0
}
