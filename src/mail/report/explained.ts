/** A recipient of a report, with the reason that the report gives. */
import { type Classification, classifyReply } from '../reply/classify.ts'
import { type ReplyWords, readReplyWords } from './reply-words.ts'
import type { ReportedAction, ReportedRecipient } from './report.ts'

export interface Reasons {
  address: string
  original: string | null
  action: ReportedAction
  /** Of the field Status. */
  status: string | null
  /** The most certain first; empty ones are passed over. */
  texts: readonly string[]
}

/** The first text that gives a reason of a known kind counts; without one, the first text. */
export function explained({ address, original, action, status, texts }: Reasons): ReportedRecipient {
  const replies = texts.filter((text) => text !== '').map(readReplyWords)
  const delayed = action === 'delayed'
  const chosen =
    action === 'failed' || delayed
      ? reasonIn(replies, status, delayed)
      : { reply: replies[0], found: { category: null, permanent: false } }
  return {
    address,
    original,
    action,
    status: chosen.reply?.status ?? status,
    reply: chosen.reply?.code ?? null,
    message: chosen.reply?.words ?? '',
    ...chosen.found,
  }
}

function reasonIn(
  replies: readonly ReplyWords[],
  status: string | null,
  delayed: boolean,
): { reply?: ReplyWords; found: Classification } {
  let first: { reply: ReplyWords; found: Classification } | undefined
  for (const reply of replies) {
    const { code, words } = reply
    const found = classifyReply({ code, status: reply.status ?? status, words, delayed })
    if (found.category !== 'other') return { reply, found }
    first ??= { reply, found }
  }
  return first ?? { found: classifyReply({ status, words: '', delayed }) }
}
