/**
 * The category of a failure. It tells people the reason; the consequences of a failure follow from the finding alone.
 */
import type { BounceCategory } from '../mail/reply/category.ts'
import { type Classification, classifyReply } from '../mail/reply/classify.ts'
import { CONSEQUENCES, type Finding } from './judge/finding.ts'
import type { NegativeAnswer } from './judge/judge.ts'
import type { SmtpErrorKind } from './smtp/error.ts'

/** The category of a reply whose words give no reason: it follows from the party at fault. */
const CATEGORIES: Readonly<Record<Finding, BounceCategory>> = {
  'dead-address': 'address_unknown',
  recipient: 'policy',
  mailbox: 'mailbox_full',
  message: 'policy',
  unsuited: 'other',
  patience: 'other',
  server: 'other',
  unreachable: 'network',
  busy: 'rate_limited',
  crowded: 'rate_limited',
  credentials: 'authentication',
  path: 'reputation',
  sender: 'policy',
  source: 'network',
}

/** The category of a failure without a reply: it follows from the kind of error. */
const LOST: Readonly<Record<SmtpErrorKind, BounceCategory | null>> = {
  connect: 'network',
  proxy: 'network',
  timeout: 'network',
  closed: 'network',
  protocol: 'other',
  tls: 'tls',
  auth: 'authentication',
  reply: null,
}

/**
 * A failure is permanent when its finding suppresses the address. It is permanent as well when the server says that the
 * address is dead in words that are too weak a proof to suppress it.
 */
export function classify(
  answer: Omit<NegativeAnswer, 'stage'> & { stage?: string },
  finding: Finding,
): Classification {
  const { ends, suppresses } = CONSEQUENCES[finding]
  const lost = answer.code === undefined && answer.kind !== undefined ? LOST[answer.kind] : null
  if (lost !== null || finding === 'unreachable') return { category: lost ?? 'network', permanent: false }
  const { code, enhancedCode: status, words, stage } = answer
  const { category, permanent } = classifyReply({ code, status, words, stage, delayed: !ends })
  return {
    category: category === 'other' ? CATEGORIES[finding] : category,
    permanent: permanent || suppresses,
  }
}
