import { RecentEntries } from '../../common/recent-entries.ts'
import { ownWords, plainWords } from '../../mail/reply/words.ts'
import type { ReplyRule } from '../sites/site-block.ts'
import { CONSEQUENCES, type Finding } from './finding.ts'

/** Patterns kept: those of some files, as they change. */
const MAX_PATTERNS = 1_000
const compiled = new RecentEntries<RegExp>(MAX_PATTERNS)

/**
 * The meaning of a reply by the site's own rules; null: they do not speak of it. `words`: the server's own, in lower
 * case. A 4yz ends no recipient (RFC 5321 4.2.1).
 */
export function meaningAtSite(rules: readonly ReplyRule[], code: number, words: string): Finding | null {
  return ruleFor(rules, code, words)?.finding ?? null
}

/** How long the site wants us to stay away after such a reply, in milliseconds; null: its rules do not say. */
export function backOffAtSite(
  rules: readonly ReplyRule[],
  code: number | undefined,
  words: string,
): number | null {
  if (rules.length === 0 || code === undefined) return null
  return ruleFor(rules, code, ownWords(plainWords(words)))?.backOff ?? null
}

function ruleFor(rules: readonly ReplyRule[], code: number, words: string): ReplyRule | undefined {
  return rules.find(({ pattern, finding }) => {
    return !(code < 500 && CONSEQUENCES[finding].ends) && regularExpression(pattern).test(words)
  })
}

function regularExpression(pattern: string): RegExp {
  let expression = compiled.get(pattern)
  if (expression === undefined) {
    expression = new RegExp(pattern, 'i')
    compiled.set(pattern, expression)
  }
  return expression
}
