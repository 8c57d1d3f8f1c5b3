/** Writes alerts as mail, and as JSON for a URL. */
import { chatText } from '../../common/chat-text.ts'
import type { Alert } from '../../store/store.ts'
import { isoTime } from '../shapes/time.ts'

export interface AlertOrigin {
  /** The name of the service. */
  hostname: string
  /** The URL of the console; null: there is none. */
  console: string | null
}

/** Members have no shell on the machine. */
export function adviceFor(
  isOperator: boolean,
  { advice, memberAdvice }: Pick<Alert, 'advice' | 'memberAdvice'>,
): string | null {
  return isOperator ? advice : memberAdvice
}

export function alertMail(
  { title, found, since, endedAt }: Omit<Alert, 'advice' | 'memberAdvice'>,
  /** The advice for the reader of the mail. */
  advice: string | null,
  isOver: boolean,
  from: AlertOrigin,
  /** The page of the console that shows the problem: `c/ID/webhooks/ID`. */
  page: string,
) {
  const lines = isOver
    ? [
        `This problem is over:`,
        `${title}: ${found}`,
        '',
        `It lasted from ${isoTime(since)} to ${isoTime(endedAt)}.`,
      ]
    : [`${title}: ${found}`, ...(advice === null ? [] : [advice]), '', `Since ${isoTime(since)}.`]
  const where = from.console === null ? [] : [`See ${from.console}${page}`]
  return {
    subject: `[${from.hostname}] ${isOver ? 'Over' : 'Problem'}: ${title}`,
    text: [...lines, '', `Postroad on ${from.hostname}`, ...where, ''].join('\n'),
  }
}

export function alertJson(
  { id, title, found, advice, since, endedAt }: Alert,
  isOver: boolean,
  hostname: string,
) {
  return {
    text: chatText(`${isOver ? 'Over' : 'Problem'} on ${hostname}: ${title}: ${found}`),
    id,
    state: isOver ? 'over' : 'problem',
    title,
    found,
    advice,
    since: isoTime(since),
    ended_at: isOver ? isoTime(endedAt) : null,
    hostname,
  }
}
