/** The category of a refusal of which only its words are kept, such as the last reply to waiting mail. */
import { isLeftAlone, troubleIn } from '../email/not-attempted.ts'
import type { BounceCategory } from '../mail/reply/category.ts'
import { classifyReply } from '../mail/reply/classify.ts'
import { replyIn } from './reply-text.ts'

/** RFC 5321 4.2 and RFC 2034 4. */
const CODES = /^(\d{3})[ -](?:([45]\.\d{1,3}\.\d{1,3}) )?/

/** Null: no server has answered. */
export function categoryOf(lastMessage: string | null): BounceCategory | null {
  if (lastMessage === null || isLeftAlone(lastMessage)) return null
  const words = replyIn(troubleIn(lastMessage))
  if (words === null) return null
  const [, code, status] = CODES.exec(words) ?? []
  return classifyReply({ code: Number(code), status, words }).category
}
