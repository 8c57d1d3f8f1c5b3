/** Writes alerts as mail, and as JSON for a URL. */
import { chatText } from '../../common/chat-text.ts'
import type { Alert } from '../../store/store.ts'
import { commandFor } from '../problem-command.ts'
import { isoTime } from '../shapes/time.ts'

export interface AlertOrigin {
  /** The name of the service. */
  hostname: string
  /** The URL of the console; null: there is none. */
  console: string | null
}

type AlertFacts = Pick<Alert, 'id' | 'title' | 'found' | 'advice' | 'memberAdvice' | 'since' | 'endedAt'>

/** The line of the log about an alert. */
export function alertLine({ id, title, found }: Pick<Alert, 'id' | 'title' | 'found'>, isOver: boolean) {
  return isOver
    ? { fields: { alert: id, found }, message: `Over: ${title}` }
    : { fields: { alert: id, found, code: commandFor(id) }, message: `Problem: ${title}` }
}

/** Members have no shell on the machine. */
export function adviceFor(
  isOperator: boolean,
  { advice, memberAdvice }: Pick<Alert, 'advice' | 'memberAdvice'>,
): string | null {
  return isOperator ? advice : memberAdvice
}

export function alertMail(
  alert: AlertFacts,
  /** The reader of the mail is an operator. */
  isOperator: boolean,
  isOver: boolean,
  from: AlertOrigin,
  /** The page of the console that shows the problem: `c/ID/webhooks/ID`. */
  page: string,
) {
  const { id, title, found, since, endedAt } = alert
  const advice = adviceFor(isOperator, alert)
  const next = [...(advice === null ? [] : [advice]), ...(isOperator ? [`  ${commandFor(id)}`] : [])]
  const lines = isOver
    ? [
        `This problem is over:`,
        `${title}: ${found}`,
        '',
        `It lasted from ${isoTime(since)} to ${isoTime(endedAt)}.`,
      ]
    : [`${title}: ${found}`, ...next, '', `Since ${isoTime(since)}.`]
  const where = from.console === null ? [] : [`See ${from.console}${page}`]
  return {
    subject: `[${from.hostname}] ${isOver ? 'Over' : 'Problem'}: ${title}`,
    text: [...lines, '', `Postroad on ${from.hostname}`, ...where, ''].join('\n'),
  }
}

export function alertJson(
  { id, title, found, advice, since, endedAt }: AlertFacts,
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
    code: commandFor(id),
    since: isoTime(since),
    ended_at: isOver ? isoTime(endedAt) : null,
    hostname,
  }
}
