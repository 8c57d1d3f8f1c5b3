/** The classification of a failure. It tells people the reason; the consequences follow from the finding. */
import type { BounceCategory } from '../mail/reply/category.ts'
import { type Classification, classifyReply } from '../mail/reply/classify.ts'
import { CONSEQUENCES, type Finding } from './judge/finding.ts'
import type { NegativeAnswer } from './judge/judge.ts'
import type { SmtpErrorKind } from './smtp/error.ts'

/** The category of a reply whose words give no reason: it follows from the finding. */
const CATEGORY_OF_FINDING: Readonly<Record<Finding, BounceCategory>> = {
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
const CATEGORY_OF_ERROR: Readonly<Record<SmtpErrorKind, BounceCategory | null>> = {
  connect: 'network',
  proxy: 'network',
  timeout: 'network',
  closed: 'network',
  stopped: 'other',
  protocol: 'other',
  tls: 'tls',
  auth: 'authentication',
  reply: null,
}

/**
 * The reason that people see. It is permanent exactly if the finding suppresses the address: the finding also takes
 * account of the site's own rules, the stage and the route.
 */
export function classify(
  answer: Omit<NegativeAnswer, 'stage'> & { stage?: string },
  finding: Finding,
): Classification {
  const permanent = CONSEQUENCES[finding].suppresses
  const ofError =
    answer.code === undefined && answer.kind !== undefined ? CATEGORY_OF_ERROR[answer.kind] : null
  if (ofError !== null || finding === 'unreachable') return { category: ofError ?? 'network', permanent }
  const { code, enhancedCode: status, words, stage } = answer
  const { category } = classifyReply({ code, status, words, stage })
  return { category: category === 'other' ? CATEGORY_OF_FINDING[finding] : category, permanent }
}
