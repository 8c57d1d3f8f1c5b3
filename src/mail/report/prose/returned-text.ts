/** Where, in a report without MIME parts, the returned email begins. */

/** Lines that servers put in front of it. */
const FOLLOWS = String.raw`(?:[\s,](?:headers?|text|info|follows?|as|below|begins|is|are|attached|included|including|all|the)){0,8}[\s.:=*_|-]*$`
const MARKERS: readonly RegExp[] = [
  /^[-=_*\s|]{0,60}(?:(?:this|enclosed|included|below|attached|here) (?:is|are) (?:a copy of (?:the |your )?(?:original |returned )?|(?:the |your )(?:original |returned ))(?:message|e-?mail|mail|header)\b|below this line is|(?:the )?header of the original message is\b)/i,
  new RegExp(
    `^[-=_*\\s|]{0,60}(?:(?:the )?(?:original|unsent|returned|rejected|bounced|undelivered) (?:message|mail|e-?mail)|bounced e-?mail|message|(?:the )?headers? (?:of|from) (?:the|your) (?:original |undelivered )?message|copy of (?:the |your )?(?:original |returned )?message|(?:the )?first \\d+ lines of (?:the|your) message)${FOLLOWS}`,
    'i',
  ),
  /^[-=_*\s|]{0,60}message non-deliverable/i,
  /^[-=_*\s|]{2,60}(?:原文|元のメール|original nachricht|ursprüngliche nachricht|mensaje original|message d'origine|messaggio originale|mensagem original|исходное)/i,
]

/** Fields with which a header begins that servers return. */
const FIRST_FIELD =
  /^(?:received|return-path|delivered-to|dkim-signature|domainkey-signature|message-id|mime-version|content-type|x-[a-z0-9-]{2,60}|from|date|subject|to|sender|reply-to):/i
const FIELD = /^[A-Za-z][A-Za-z0-9-]{0,60}:(?:\s|$)/
const CERTAIN = /^(?:received|return-path|message-id|mime-version|dkim-signature):/i

/** Lines looked at from the first field on. */
const RUN = 8

export interface SplitText {
  /** The words of the server. */
  said: string[]
  /** The returned email, from its first field on; empty when there is none. */
  returned: string[]
}

/** @param lines without line ends */
export function splitReturned(lines: readonly string[]): SplitText {
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    if (isMarker(line)) {
      const first = firstField(lines, at + 1)
      return { said: lines.slice(0, at), returned: first < 0 ? lines.slice(at + 1) : lines.slice(first) }
    }
    if (FIRST_FIELD.test(line) && isHeader(lines, at))
      return { said: lines.slice(0, at), returned: lines.slice(at) }
  }
  return { said: [...lines], returned: [] }
}

/** The word `message` alone is no marker. */
const isMarker = (line: string) =>
  line.length <= 100 &&
  !/^\W*(?:message|the message)\W*$/i.test(line) &&
  MARKERS.some((pattern) => pattern.test(line))

function firstField(lines: readonly string[], from: number): number {
  const end = Math.min(from + 12, lines.length)
  for (let at = from; at < end; at++) if (FIELD.test(lines[at]!)) return at
  return -1
}

/** At least three fields in a row, one of which only a header has. */
function isHeader(lines: readonly string[], from: number): boolean {
  let fields = 0
  let certain = false
  for (let at = from; at < Math.min(from + RUN, lines.length); at++) {
    const line = lines[at]!
    if (FIELD.test(line)) {
      fields++
      certain ||= CERTAIN.test(line)
    } else if (!/^[ \t]+\S/.test(line)) break
  }
  return fields >= 3 && certain
}
