/** The words of an API, or of SMTP, for each reason. */
import type { AnyReason } from './fault.ts'

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

export function wordsFor<Said>(words: Words<Said>, reason: AnyReason): Said
/** Undefined for a reason without an entry. */
export function wordsFor<Said>(words: Partial<Words<Said>>, reason: AnyReason): Said | undefined
export function wordsFor<Said>(words: Partial<Words<Said>>, reason: AnyReason): Said | undefined {
  // The compiler does not know that the function belongs to the code of the reason.
  const say = words[reason.code] as ((reason: AnyReason) => Said) | undefined
  return say?.(reason)
}
