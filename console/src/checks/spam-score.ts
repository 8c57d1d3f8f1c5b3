/**
 * A score like those of spam filters, by rules of our own that run in the browser. Filters of receivers also know the
 * sender's reputation, which counts more.
 */
import type { Check, CheckedEmail } from './check.ts'
import type { HtmlFacts } from './html-facts.ts'

/** Points from which common filters, such as SpamAssassin with its usual settings, take a message for spam. */
const SPAM = 5
const SUSPECT = 2.5
/** Characters of text beside which pictures are all that a message has. */
const LITTLE_TEXT = 40

interface SpamRule {
  points: number
  what: string
  hits: (message: CheckedEmail, facts: HtmlFacts, others: ReadonlyMap<string, Check>) => boolean
}

const SHORTENERS =
  /^(?:www\.)?(?:bit\.ly|tinyurl\.com|t\.co|goo\.gl|ow\.ly|is\.gd|buff\.ly|rebrand\.ly|cutt\.ly)$/i
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i

const hasGrade =
  (id: string, ...grades: Check['grade'][]): SpamRule['hits'] =>
  (_message, _facts, others) => {
    const grade = others.get(id)?.grade
    return grade !== undefined && grades.includes(grade)
  }

const RULES: readonly SpamRule[] = [
  { points: 2.5, what: 'links that show another address', hits: hasGrade('misleading', 'bad') },
  { points: 2, what: 'scripts', hits: hasGrade('active', 'bad') },
  { points: 2, what: 'no aligned DKIM signature', hits: hasGrade('alignment', 'bad') },
  { points: 1.8, what: 'no subject', hits: hasGrade('subject', 'bad') },
  { points: 1.5, what: 'links to numeric addresses', hits: (_, { links }) => links.some(isOn(ADDRESS)) },
  {
    points: 1.5,
    what: 'pictures with little text',
    hits: (_, { images, text }) => images.some(({ tiny }) => !tiny) && text.trim().length < LITTLE_TEXT,
  },
  { points: 1, what: 'no text part', hits: hasGrade('text', 'poor') },
  { points: 1, what: 'shortened links', hits: (_, { links }) => links.some(isOn(SHORTENERS)) },
  { points: 1, what: 'forms, frames or media', hits: hasGrade('active', 'poor') },
  {
    points: 0.8,
    what: 'a subject that pretends to be a reply',
    hits: ({ subject, fields }) => {
      const names = fields.map(([name = '']) => name.toLowerCase())
      return (
        /^\s*(?:re|aw|fwd?)\s*:/i.test(subject) &&
        !names.includes('in-reply-to') &&
        !names.includes('references')
      )
    },
  },
  {
    points: 0.5,
    what: 'a subject with several exclamation marks',
    hits: ({ subject }) => /!.*!/.test(subject),
  },
  {
    points: 0.5,
    what: 'a subject in capital letters',
    hits: ({ subject }) =>
      [...subject].length > 10 && subject === subject.toUpperCase() && subject !== subject.toLowerCase(),
  },
  { points: 0.3, what: 'URLs without encryption', hits: hasGrade('insecure', 'poor') },
]

function isOn(host: RegExp): (link: { url: string }) => boolean {
  return ({ url }) => {
    try {
      return host.test(new URL(url).hostname)
    } catch {
      return false
    }
  }
}

/** `others`: the other checks of the message, some of which are rules. */
export function spamScore(message: CheckedEmail, facts: HtmlFacts, others: readonly Check[]): Check {
  const byId = new Map(others.map((check) => [check.id, check]))
  const found = RULES.filter(({ hits }) => hits(message, facts, byId))
  const score = found.reduce((sum, { points }) => sum + points, 0)
  const rules = found.map(({ what, points }) => `${what} (${points} ${points === 1 ? 'point' : 'points'})`)
  return {
    id: 'spam',
    grade: score >= SPAM ? 'bad' : score >= SUSPECT ? 'poor' : 'good',
    what: `Spam score: ${score.toFixed(1)}. Many filters treat ${SPAM} or more as spam.`,
    why: `Found: ${rules.length === 0 ? 'nothing' : rules.join(', ')}. ${
      RULES.length
    } rules were checked in your browser. Filters of receivers have more rules, and know the reputation of the sender.`,
    todo: score >= SUSPECT ? 'Change what has the most points.' : '',
  }
}
