/** A problem of a company in the words of the JSON dialect. */
import { chatText } from '../../common/chat-text.ts'
import type { CompanyEvent } from '../../email/company-event.ts'
import type { ProblemFacts } from '../../email/event.ts'

/** `text` is a sentence: chat programs show it. The finding may contain the words of a stranger's server. */
export function problemPayload(
  { type, at }: Pick<CompanyEvent, 'at' | 'type'>,
  { id, title, found, advice, since }: ProblemFacts,
): { text: string; data: Record<string, unknown> } {
  const isOver = type === 'problem.ended'
  return {
    text: chatText(`${isOver ? 'Over' : 'Problem'}: ${title}: ${found}`),
    data: {
      id,
      title,
      found,
      advice,
      since: new Date(since).toISOString(),
      ended_at: isOver ? new Date(at).toISOString() : null,
    },
  }
}
