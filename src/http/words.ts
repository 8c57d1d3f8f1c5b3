/** The answers of an API to reasons, and the header fields that each reason requires. */
import type { Answer } from './answer.ts'
import { type AnyReason, REFUSED_FOR } from './fault.ts'

/** An entry for every reason: a missing one is a compile error. */
export type Words<Said> = {
  readonly [Code in AnyReason['code']]: (reason: Extract<AnyReason, { code: Code }>) => Said
}

/** Sentences for operations that fail because the store is unavailable, without the final stop. */
export const UNAVAILABLE: Readonly<Record<Extract<AnyReason, { code: 'unavailable' }>['of'], string>> = {
  mail: 'The service cannot accept mail now. Nothing was accepted; please try again',
  writing: 'The service cannot process the request now; please try again',
  reading: 'The service cannot look this up now; please try again',
}

export function said<Said>(words: Words<Said>, reason: AnyReason): Said
/** Undefined for a reason without an entry. */
export function said<Said>(words: Partial<Words<Said>>, reason: AnyReason): Said | undefined
export function said<Said>(words: Partial<Words<Said>>, reason: AnyReason): Said | undefined {
  // The compiler does not see that code and function belong together.
  const say = words[reason.code] as ((reason: AnyReason) => Said) | undefined
  return say?.(reason)
}

/** @param challenge the scheme that a 401 names (RFC 9110 11.6.1) */
export function answerTo(
  reason: AnyReason,
  answer: Pick<Answer, 'status' | 'type' | 'body'>,
  challenge?: string,
): Answer {
  const headers: Record<string, string> = {}
  if (answer.status === 401 && challenge !== undefined) headers['www-authenticate'] = challenge
  if ('retryAfter' in reason && reason.retryAfter !== undefined)
    headers['retry-after'] = String(Math.max(1, Math.ceil(reason.retryAfter)))
  if ('allow' in reason) headers.allow = reason.allow
  if (reason.code !== 'too_much_under_way') return { ...answer, headers }
  return { ...answer, headers, heldFor: REFUSED_FOR }
}
