/** Prepares the words of a reply for the search for phrases. */
import { isIP } from 'node:net'
import { QUOTING } from './phrases.ts'

/** The most characters of a reply that are searched: the longest replies have a few hundred. */
const MAX = 1_000

/** In lower case, and without addresses and links: these are chosen by others, and may read like anything. */
export function plainWords(words: string): string {
  return words
    .slice(0, MAX)
    .toLowerCase()
    .replace(/<[^<>]*>/g, ' ')
    .replace(/https?:\/\/[^\s<>()[\]"'，。；、）」]+/g, namedLink)
    .replace(/[^\s<>()[\],;:"'，。；：、（）「」]+/g, withoutAddress)
    .replace(/\s+/g, ' ')
}

/** Hosts of pages that say why a server refuses: of block lists, of their removal, and of GMX, web.de and 1&1. */
const NAMED_LINK =
  /^https?:\/\/((?:[^/?#]{0,60}(?:sorbs|uceprotect|cloudmark|proofpoint|senderscore|senderbase|barracuda|openspf|spf\.pobox|spam|surbl|uribl|rbl|dnsbl|block-?list|black-?list|de-?list|unblock)|postmaster\.[^/?#]{1,60}\/[a-z]{0,8}\/?case\?c=)[^/?#]{0,60})/

/** The host of such a page; a space for any other. */
function namedLink(link: string): string {
  return NAMED_LINK.exec(link)?.[1] ?? ' '
}

/** Servers in China and Japan write no space around an address. */
function withoutAddress(word: string): string {
  const at = word.indexOf('@', 1)
  if (at === -1 || at === word.length - 1) return word
  const ascii = /[!-~]{1,64}@[!-~]{1,255}/.exec(word)
  return ascii !== null && SPACELESS.test(word) ? word.replace(ascii[0], ' ') : ' '
}

const SPACELESS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u

/**
 * The plain words up to the first quotation of another server. A server that verifies a recipient repeats the reply of
 * that recipient's server, and anybody can run a server that says anything.
 */
export function ownWords(words: string): string {
  const ends = QUOTING.map((pattern) => words.search(pattern)).filter((at) => at !== -1)
  return ends.length === 0 ? words : words.slice(0, Math.min(...ends))
}

/** Whether plain words name an IP address: not the domain of a mail address (RFC 5321 4.1.3), `jane@[192.0.2.1]`. */
export function namesIpAddress(words: string): boolean {
  const pieces = words.replace(/@\[[^\]]*\]/g, ' ').split(/[\s<>()[\],;="'，。；、（）]+/)
  return pieces.some((piece) => isIP(piece.replace(/^ipv6:|[.:]$/g, '')) !== 0)
}

/** Tells whether one of the phrases of a topic is in the words. */
export type TopicMatch = (topic: readonly RegExp[]) => boolean

export function matcherOf(words: string): TopicMatch {
  return (topic) => words !== '' && topic.some((pattern) => pattern.test(words))
}
