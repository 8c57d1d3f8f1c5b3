import type { AnyReason } from '../../ingress/fault.ts'
import { said } from '../../ingress/words.ts'
import type { Answer } from '../answer.ts'
import { COMMON_ERRORS, type ErrorFields, errorAnswer } from '../error-body.ts'

/** Pages accept no input: any other refusal is an error of this service. */
const UNEXPECTED: ErrorFields = [500, 'internal_server_error', 'An unexpected error occurred.']

/** The error for a path outside every API, for a page, and for input that is no request. */
export function pageWords(reason: AnyReason): Answer {
  return errorAnswer(reason, said<ErrorFields>(COMMON_ERRORS, reason) ?? UNEXPECTED)
}
