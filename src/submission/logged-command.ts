/** A command of a logged-in client and its reply, for the log of API requests. */
import type { Principal } from '../accounts/account.ts'
import { clip } from '../common/clip.ts'
import { outline } from '../ingress/request-log/outline.ts'
import type { RequestLog } from '../ingress/request-log/request-log.ts'
import type { SubmissionReply } from './reply.ts'

const MAX_OF_ANSWER = 1_000

/** `fields`: of the command or the message. `startedAt`: `performance.now()` before the work on them. */
export function logCommand(
  log: RequestLog,
  { companyId, keyId, address }: Principal,
  verb: string,
  { code, enhanced, text }: SubmissionReply,
  fields: object,
  startedAt: number,
): void {
  const refused = code >= 400
  if (!log.hasRoom(companyId, refused)) return
  log.add(
    {
      companyId,
      keyId,
      address,
      method: 'SMTP',
      endpoint: verb,
      status: code,
      userAgent: null,
      error: refused ? (enhanced ?? String(code)) : null,
      duration: Math.round(performance.now() - startedAt),
      request: refused ? outline(fields) : null,
      response: clip(typeof text === 'string' ? text : text.join(' '), MAX_OF_ANSWER),
    },
    refused,
  )
}
