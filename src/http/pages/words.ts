import type { Answer } from '../answer.ts'
import { COMMON_ERRORS, type ErrorSaid, errorAnswer } from '../error-body.ts'
import type { AnyReason } from '../fault.ts'
import { said } from '../words.ts'

/** Pages take nothing in: whatever else there is to refuse here is our own fault. */
const UNEXPECTED: ErrorSaid = [500, 'internal_server_error', 'An unexpected error occurred.']

/** What is said about a path that belongs to no API, about a page, and to what is no request at all. */
export function pageWords(reason: AnyReason): Answer {
  return errorAnswer(reason, said<ErrorSaid>(COMMON_ERRORS, reason) ?? UNEXPECTED)
}
