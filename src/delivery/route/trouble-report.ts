/**
 * Turns the trouble that an attempt met into the report for the queue. queue/evidence.ts decides whose mail it
 * concerns.
 */

import { parseServer } from '../../email/server-name.ts'
import type { TroubleKind } from '../../email/trouble-kind.ts'
import type { TroubleReport } from '../delivery.ts'
import type { RouteFailure } from '../outcome.ts'

export function reportOf({
  finding,
  server,
  asked = server,
  toMail = false,
  code,
  message,
  unreachable,
  waitMs,
  excess,
  list,
}: RouteFailure): TroubleReport {
  // No server answered, whether it was asked now or a moment ago.
  if (unreachable) {
    return { kind: 'unreachable', met: 'connection', message, ...(asked !== undefined && { server: asked }) }
  }
  const kind = finding as TroubleKind
  const ofSession = server === undefined || kind === 'credentials'
  const report: TroubleReport = {
    kind,
    met: ofSession ? 'session' : toMail ? 'mail' : 'recipient',
    message: withServerName(message, asked),
  }
  if (asked !== undefined) report.server = asked
  if (code !== undefined) report.code = code
  if (waitMs !== undefined) report.waitMs = waitMs
  if (excess !== undefined) report.excess = excess
  if (list !== undefined) report.list = list
  return report
}

/**
 * Puts the server's host before its reply: the words are also shown for other mail, which is held and has not reached
 * the server.
 */
function withServerName(message: string, server: string | undefined): string {
  return server === undefined || !/^[45]\d\d[ -]/.test(message)
    ? message
    : `${parseServer(server).host}: ${message}`
}
