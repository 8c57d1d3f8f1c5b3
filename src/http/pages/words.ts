import type { AnyReason } from '../../ingress/fault.ts'
import { type Words, wordsFor } from '../../ingress/words.ts'
import type { Answer } from '../answer.ts'
import { COMMON_ERRORS, type ErrorFields, errorAnswer } from '../error-body.ts'

/** Any other refusal is an error of this service. */
const UNEXPECTED: ErrorFields = [500, 'internal_server_error', 'An unexpected error occurred.']

const WORDS: Partial<Words<ErrorFields>> = {
  ...COMMON_ERRORS,
  body_too_large: ({ max }) => [413, 'validation_error', `The request body has more than ${max} bytes.`],
}

/** The error for a path outside every API, for a page, and for input that is not a request. */
export function pageWords(reason: AnyReason): Answer {
  return errorAnswer(reason, wordsFor<ErrorFields>(WORDS, reason) ?? UNEXPECTED)
}
