/** The category of a refusal of which only its words are kept, such as the last reply to waiting mail. */
import { isLeftAlone, troubleIn } from '../email/not-attempted.ts'
import type { BounceCategory } from '../mail/reply/category.ts'
import { classifyReply } from '../mail/reply/classify.ts'
import { CONNECT_FAULTS } from '../network/connect-fault.ts'
import { replyIn } from './reply-text.ts'

/**
 * Postroad's own words where no server could be asked: for a lookup that failed, and for a connection that nobody took.
 */
const UNREACHED = new RegExp(
  `^DNS: the \\w+ lookup of |^(?!The proxy ).* (?:${Object.values(CONNECT_FAULTS).join('|')})`,
)

/** RFC 5321 4.2 and RFC 2034 4. */
const CODES = /^(\d{3})[ -](?:([45]\.\d{1,3}\.\d{1,3}) )?/

/** Null: no server has answered, and the words do not say why. */
export function categoryOf(lastMessage: string | null): BounceCategory | null {
  if (lastMessage === null || isLeftAlone(lastMessage)) return null
  const trouble = troubleIn(lastMessage)
  const words = replyIn(trouble)
  if (words === null) return UNREACHED.test(trouble) ? 'network' : null
  const [, code, status] = CODES.exec(words) ?? []
  return classifyReply({ code: Number(code), status, words }).category
}
