import { RecentEntries } from '../../common/recent-entries.ts'
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
  for (const { pattern, finding } of rules) {
    if (code < 500 && CONSEQUENCES[finding].ends) continue
    if (regularExpression(pattern).test(words)) return finding
  }
  return null
}

function regularExpression(pattern: string): RegExp {
  let expression = compiled.get(pattern)
  if (expression === undefined) {
    expression = new RegExp(pattern, 'i')
    compiled.set(pattern, expression)
  }
  return expression
}
