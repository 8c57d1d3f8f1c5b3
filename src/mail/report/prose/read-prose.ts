/** Reads reports that are written for people alone. */
import { addressIn, cleanAddress } from '../address-text.ts'
import { RECIPIENT_FORMS } from './recipient-forms.ts'
import { splitReturned } from './returned-text.ts'
import { DELAY_WORDS, FAILURE_WORDS, FINAL_WORDS, SERVERS, SUCCESS_WORDS } from './servers.ts'

const MAX_LINES = 4_000
const MAX_LINE = 1_000
/** Lines of the reason for one recipient. */
const REASON_LINES = 40
const MAX_RECIPIENTS = 1_000

export interface ProseRecipient {
  address: string
  /** The address that an alias led to, or the address itself. */
  final: string
  /** The words about this recipient. */
  reason: string
}

export interface Prose {
  /** True: the text begins as the reports of a known server do. */
  opened: boolean
  fails: boolean
  delays: boolean
  succeeds: boolean
  recipients: ProseRecipient[]
  /** All that the server says. */
  said: string
  /** The email that the text quotes; '' when it quotes none. */
  returned: string
}

export interface Parties {
  /** Addresses that the report was sent from and to, and that the email came from. */
  own: ReadonlySet<string>
  /** The addressees of the email. */
  addressees: ReadonlySet<string>
}

/**
 * @param subject of the report, which may say more than its text
 * @param partiesOf gets the quoted email
 */
export function readProse(
  subject: string,
  texts: readonly string[],
  partiesOf: (returned: string) => Parties,
): Prose {
  const lines = texts
    .join('\n\n')
    .split(/\r?\n/, MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE).trimEnd())
  const split = splitReturned(lines)
  // A quoted line belongs to an earlier report that this mail answers.
  const said = split.said.map((line) => (/^\s*>(?!>>)/.test(line) ? '' : line))
  const text = said.join('\n')
  const returned = split.returned.join('\r\n')
  const formats = SERVERS.filter(({ opening }) => opening.test(text))
  const named = recipientsIn(said, partiesOf(returned))
  const empty = formats.filter(({ reasonWithin }) => reasonWithin !== true)
  const above = formats.some(({ reasonAbove }) => reasonAbove)
  return {
    opened: formats.length > 0,
    fails: FAILURE_WORDS.test(text),
    delays: (DELAY_WORDS.test(text) || DELAY_WORDS.test(subject)) && !FINAL_WORDS.test(text),
    succeeds: SUCCESS_WORDS.test(text),
    recipients: above ? withReasonsAbove(said, named) : withReasonsBelow(said, named),
    said: said
      .filter((line) => line.includes('@') || !empty.some(({ opening }) => opening.test(line)))
      .join('\n'),
    returned,
  }
}

interface NamedRecipient {
  line: number
  address: string
  final: string
  rest: string
}

function recipientsIn(lines: readonly string[], parties: Parties): NamedRecipient[] {
  const naming = [...lines.entries()].filter(
    ([index, line]) => line.includes('@') && !isContact(lines, index),
  )
  for (const [level, forms] of RECIPIENT_FORMS.entries()) {
    const named: NamedRecipient[] = []
    for (const [index, line] of naming) {
      for (const { pattern, reasonBefore } of forms) {
        const found = pattern.exec(line)
        const address = found === null ? null : addressOf(found[1]!)
        if (address === null) continue
        const behind = line.slice(found!.index + found![0].length)
        named.push({
          line: index,
          address: addressOf(found![2] ?? '') ?? writtenTo(lines, index) ?? address,
          final: address,
          // A reply code in front of the address belongs to the reason: `550 <jane@example.org>... User unknown`.
          rest: reasonBefore || /^\s*[45]\d\d\b/.test(line) ? line : behind,
        })
        break
      }
      if (named.length >= MAX_RECIPIENTS) break
    }
    const strangers = named.filter(
      ({ address }) => parties.addressees.has(address) || !parties.own.has(address),
    )
    // People may write to themselves.
    const chosen = strangers.length === 0 && level === 0 ? named : strangers
    if (chosen.length > 0) return chosen
  }
  return []
}

const addressOf = (text: string) => cleanAddress(text.replace(/^["'<]+|["'>]+$/g, ''))

/** Exim and Sendmail name the original address below the one that an alias led to. */
function writtenTo(lines: readonly string[], index: number): string | null {
  for (const line of lines.slice(index + 1, index + 4)) {
    const found =
      /^\s*\((?:[a-z]{1,12} ){0,2}(?:expanded|generated|forwarded) (?:from|by):? ?([^()]{3,330})\)/i.exec(
        line,
      )
    if (found !== null) return addressIn(found[1]!)
    if (/^\S/.test(line) || line === '') return null
  }
  return null
}

/** Words in front of a contact address, and in front of the sender's address. */
const CONTACT =
  /\b(?:contact|assistance|help|questions?|support|(?:send|write|forward)(?: (?:mail|it|this|them|an e-?mail))? to|mail from|sender)\b[:\s]*$/i
const CONTACT_IN_SENTENCE =
  /\b(?:contact\b|for (?:further )?assistance\b|for help\b|questions?\b.{0,40}\bto\b)/i

/** Characters in front of an address that say what it is. */
const NEAR = 200

/** Whether an address is a contact, or that of the sender in a wrapped line. */
function isContact(lines: readonly string[], index: number): boolean {
  const line = lines[index]!
  const before = line.slice(0, line.indexOf('@'))
  const words = before.slice(0, Math.max(before.lastIndexOf(' '), before.lastIndexOf('\t')) + 1)
  if (CONTACT.test(words.slice(-NEAR)) || CONTACT_IN_SENTENCE.test(before)) return true
  let above = index - 1
  while (above >= 0 && above > index - 3 && lines[above] === '') above--
  return CONTACT.test((lines[above] ?? '').slice(-NEAR))
}

/** Sendmail's generic words for any reply. */
const SAYS_NOTHING =
  /^\s*(?:-+ ?transcript of session follows ?-+|5\d\d (?:5\.\d\.\d )?(?:\S{1,320}\.\.\. )?(?:service unavailable|data format error))\s*$/i

function withReasonsBelow(lines: readonly string[], named: readonly NamedRecipient[]): ProseRecipient[] {
  const reasons = new Map<string, string>()
  const alone = named.every(({ address }) => address === named[0]?.address)
  let next = lines.length
  for (const [position, { line, address, rest }] of [...named.entries()].toReversed()) {
    const reason = [rest, ...linesBehind(lines, line, next, alone)].join('\n').trim()
    // The first reason that is not empty counts.
    if (reason !== '' || !reasons.has(address)) reasons.set(address, reason)
    if (named[position - 1]?.address !== address) next = line
  }
  const finals = new Map(named.map(({ address, final }) => [address, final]))
  return [...finals].map(([address, final]) => ({ address, final, reason: reasons.get(address) ?? '' }))
}

function withReasonsAbove(lines: readonly string[], named: readonly NamedRecipient[]): ProseRecipient[] {
  const found = new Map<string, ProseRecipient>()
  let from = 0
  for (const { line, address, final } of named) {
    const reason = lines
      .slice(Math.max(from, line - REASON_LINES), line)
      .join('\n')
      .trim()
    if (!found.has(address)) found.set(address, { address, final, reason })
    from = line + 1
  }
  return [...found.values()]
}

/**
 * The lines of a reason, up to the next recipient. The lines after the last of several recipients concern all of them.
 */
function linesBehind(lines: readonly string[], line: number, next: number, alone: boolean): string[] {
  const behind = lines.slice(line + 1, Math.max(line + 1, Math.min(next, line + REASON_LINES)))
  const rule = alone ? -1 : behind.findIndex((each) => /^[ \t]*-{3}/.test(each))
  return (rule < 0 ? behind : behind.slice(0, rule)).filter((each) => !SAYS_NOTHING.test(each))
}
