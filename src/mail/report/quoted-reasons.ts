/** A recipient of a report, with the reason that the report gives. */
import type { BounceCategory } from '../reply/category.ts'
import { type Classification, classifyReply } from '../reply/classify.ts'
import { type QuotedReply, readQuotedReply } from './quoted-reply.ts'
import type { ReportedAction, ReportedRecipient } from './report.ts'
import { type ReportedStage, stageIn } from './stage.ts'

export interface QuotedReasons {
  address: string
  original: string | null
  /** Null: the report names no other address. */
  final: string | null
  action: ReportedAction
  /** The enhanced code in the field Status. */
  status: string | null
  /** The command that was refused, where the report has a dialogue. */
  stage?: ReportedStage | null
  /** The reason is that of a program to which the server gave the mail, not that of a remote server. */
  local?: boolean
  /** The most certain first; empty ones are passed over. */
  texts: readonly string[]
}

/** The first text that gives a reason of a known kind counts; without one, the first text. */
export function reportedRecipient(reasons: QuotedReasons): ReportedRecipient {
  const { address, original, final, action, status } = reasons
  const replies = reasons.texts.filter((text) => text !== '').map(readQuotedReply)
  const delivered = action !== 'failed' && action !== 'delayed'
  const { reply, found } = delivered
    ? { reply: replies[0], found: { category: null, permanent: false } }
    : reasonIn(replies, reasons)
  return {
    address,
    original,
    final: final ?? address,
    action,
    status: reply?.status ?? status,
    reply: reply?.code ?? null,
    message: reply?.words ?? '',
    ...found,
  }
}

interface ClassifiedReply {
  reply?: QuotedReply
  found: Classification
}

function reasonIn(replies: readonly QuotedReply[], reasons: QuotedReasons): ClassifiedReply {
  const { action, status, texts, local = false } = reasons
  const delayed = action === 'delayed'
  const stage = reasons.stage ?? texts.map(stageIn).find((each) => each !== null)
  let first: ClassifiedReply | undefined
  for (const reply of replies) {
    const { code, words } = reply
    const found = classifyReply({ code, status: reply.status ?? status, words, stage, delayed })
    const meant = local && !OF_PROGRAMS.has(found.category) ? { ...found, category: 'other' as const } : found
    if (meant.category !== 'other') return { reply, found: proven(meant, reply, replies, reasons) }
    first ??= { reply, found: meant }
  }
  return first ?? { found: classifyReply({ status, words: '', stage, delayed }) }
}

/**
 * Exchange Online refuses an address that does not exist with `550 5.4.1 Access denied`, which proves nothing, and says
 * the rest to people.
 */
function proven(
  found: Classification,
  { code }: QuotedReply,
  replies: readonly QuotedReply[],
  { action }: QuotedReasons,
): Classification {
  if (found.permanent || found.category !== 'address_unknown' || action === 'delayed' || !isFinal(code))
    return found
  const same = replies.some((other) => {
    const { category, permanent } = classifyReply(other)
    return permanent && category === 'address_unknown'
  })
  return same ? { ...found, permanent: true } : found
}

const isFinal = (code: number | null) => code !== null && code >= 500

/** Categories that a local program may give. `Permission denied` of one is a fault of its host. */
const OF_PROGRAMS: ReadonlySet<BounceCategory> = new Set([
  'address_unknown',
  'mailbox_full',
  'mailbox_disabled',
  'content_too_big',
  'content_spam',
])
