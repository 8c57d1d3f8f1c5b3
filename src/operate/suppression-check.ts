/** Validates entries of the suppression list. */
import { idAt, type Suppression, type SuppressionType, TAGGED_TYPES } from '../email/suppression.ts'
import { OperateError } from './error.ts'
import { addressIn } from './find.ts'

const LONGEST_REASON = 1_000
const LONGEST_TAG = 256
const MAX_TAGS = 100

/** An entry to be added. */
export interface SuppressionInput {
  address: string
  type: SuppressionType
  /** Limits an unsubscription to mail with these tags. */
  tags?: readonly string[] | undefined
  /** Absent: a standard sentence for the type. */
  reason?: string | undefined
  /** SMTP reply code. */
  code?: number | undefined
  /** Id of the sending domain whose list gets it; absent: that of the request. */
  domainId?: string | undefined
  /** Unix ms; absent: now. */
  createdAt?: number | undefined
}

const REASONS: Record<SuppressionType, string> = {
  bounce: 'mail to it bounced before',
  complaint: 'the recipient complained',
  manual: 'added by hand',
  unsubscribe: 'the recipient unsubscribed',
}

/** Throws `invalid`. */
export function checkedSuppression(
  { address: text, type, tags, reason, code, domainId, createdAt }: SuppressionInput,
  companyId: string,
  list: string | null,
  now: number,
): Suppression {
  const address = addressIn(text)
  if (tags !== undefined && !TAGGED_TYPES.includes(type)) {
    throw new OperateError(
      'invalid',
      `tags are only possible for an unsubscription, but "${address}" is listed as ${type}`,
    )
  }
  if (code !== undefined && !(Number.isInteger(code) && code >= 200 && code <= 699)) {
    throw new OperateError('invalid', `the code ${code} is not an SMTP reply code`)
  }
  const at = createdAt ?? now
  return {
    id: idAt(at),
    companyId,
    address,
    type,
    tags: tags === undefined ? null : checkedTags(tags),
    reason: reason ? reasonOf(reason) : REASONS[type],
    code: code ?? null,
    emailId: null,
    domainId: domainId ?? list,
    createdAt: at,
  }
}

function checkedTags(tags: readonly string[]): string[] {
  const all = [...new Set(tags)]
  if (all.length === 0 || all.length > MAX_TAGS) {
    throw new OperateError(
      'invalid',
      `an unsubscription can have 1 to ${MAX_TAGS} tags, or none for all mail`,
    )
  }
  for (const tag of all) {
    if (tag === '' || tag.length > LONGEST_TAG || /\p{Cc}/u.test(tag) || !tag.isWellFormed()) {
      throw new OperateError(
        'invalid',
        `a tag must have 1 to ${LONGEST_TAG} characters and no control characters`,
      )
    }
  }
  return all
}

/** Throws `invalid`. */
export function reasonOf(text: string): string {
  if (text.length <= LONGEST_REASON && text.isWellFormed() && !text.includes('\0')) return text
  throw new OperateError('invalid', `a reason can have at most ${LONGEST_REASON} characters and no NUL`)
}
