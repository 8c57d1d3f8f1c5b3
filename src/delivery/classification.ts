/** The category of a failure, which people read. Its consequences follow from the finding alone. */
import type { BounceCategory } from '../mail/reply/category.ts'
import { type Classification, classifyReply } from '../mail/reply/classify.ts'
import { CONSEQUENCES, type Finding } from './judge/finding.ts'
import type { NegativeAnswer } from './judge/judge.ts'
import type { SmtpErrorKind } from './smtp/error.ts'

/** Where the words say nothing, the party at fault does. */
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

/** Without a reply there are no words. */
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
 * An address that the finding suppresses is dead. So is one of which the server says so in words that prove too little
 * for that.
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
