/**
 * Details of a refusal, in addition to its finding: how long to wait, the limit that was exceeded, and the list that
 * names our address.
 */
import { type BlockList, blockListIn } from '../../mail/reply/block-lists.ts'
import { requestedWait } from '../../mail/reply/requested-wait.ts'
import type { Stage } from '../smtp/error.ts'
import type { Finding } from './finding.ts'

export interface ReplyAdvice {
  /** Milliseconds that the server asks us to wait. */
  waitMs?: number
  /** `busy` only: what there is too much of. */
  excess?: 'sessions' | 'messages'
  /** `path` only: the block list that the server names. */
  list?: BlockList
}

/** The longest wait that a server's words are granted: a slip of one server must not stop a site for hours. */
const LONGEST_ASKED_MS = 15 * 60_000

const SESSIONS = /\bconnections?\b|\bsessions?\b|\bconcurren/

/** `words`: the server's own. `backOff`: what the site wants after such a reply, where the words name no time. */
export function adviceIn(
  words: string,
  finding: Finding,
  stage: Stage,
  backOff: number | null = null,
): ReplyAdvice {
  const advice: ReplyAdvice = {}
  if (finding === 'path') {
    const list = blockListIn(words)
    if (list !== null) advice.list = list
    return advice
  }
  if (finding !== 'busy' && finding !== 'patience' && finding !== 'server') return advice
  const asked = requestedWait(words)
  const wait = asked === null ? backOff : Math.min(asked, LONGEST_ASKED_MS)
  if (wait !== null) advice.waitMs = wait
  if (finding === 'busy') {
    const before = stage === 'connect' || stage === 'greeting' || stage === 'ehlo' || stage === 'starttls'
    advice.excess = before || SESSIONS.test(words.toLowerCase()) ? 'sessions' : 'messages'
  }
  return advice
}
