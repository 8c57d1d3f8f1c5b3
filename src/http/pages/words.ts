import type { Answer } from '../answer.ts'
import { errorAnswer } from '../error-body.ts'
import type { AnyReason } from '../fault.ts'

/** What is said about a path that belongs to no API, about a page, and to what is no request at all. */
export function pageWords(reason: AnyReason): Answer {
  switch (reason.code) {
    case 'path_unknown':
      return errorAnswer(404, 'not_found', 'The requested endpoint does not exist')
    case 'method_unknown': {
      const { allow } = reason
      const message = `Method is not allowed for the requested path; allowed: ${allow}`
      return errorAnswer(405, 'method_not_allowed', message, { allow })
    }
    case 'http_malformed':
      return errorAnswer(reason.status, 'validation_error', reason.detail)
    default: {
      // Pages take nothing in: whatever else there is to refuse here is our own fault.
      const more =
        'requestId' in reason ? ` The service's log tells more under request id ${reason.requestId}.` : ''
      return errorAnswer(500, 'internal_server_error', `An unexpected error occurred.${more}`)
    }
  }
}
