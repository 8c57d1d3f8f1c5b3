/** Tells people of an alert, by mail and at a URL. */
import type { Log } from '../../common/logging.ts'
import type { SendRequest } from '../../network/outgoing.ts'
import type { Alert, Store } from '../../store/store.ts'
import { pageOfAlert } from './alert-page.ts'
import { readersOf } from './alert-readers.ts'
import { type AlertOrigin, adviceFor, alertJson, alertMail } from './alert-words.ts'

/** Sends mail of the service itself; the same `key` is sent once. */
interface AlertMailer {
  send(message: { to: string; subject: string; text: string; key: string }): Promise<void>
}

export interface AlertChannels {
  /** Null: no alert is sent by mail. */
  systemMail: AlertMailer | null
  /** Addresses that get all alerts, in addition to the people who choose them. */
  alertTo: readonly string[]
  /** Null: no URL is called. */
  webhook: { url: string; ask: SendRequest; userAgent: string } | null
  store: Pick<Store, 'accounts' | 'people'>
  origin: AlertOrigin
  log: Log
}

const TIMEOUT_MS = 15_000
const MOST_OF_ANSWER = 1_024

/** Rejects when a channel fails; the alert is then sent again. */
export async function tellAlert(channels: AlertChannels, alert: Alert, isOver: boolean): Promise<void> {
  const { log, systemMail, webhook } = channels
  log.warn({ alert: alert.id, found: alert.found }, isOver ? 'A problem is over' : 'There is a problem')
  if (systemMail !== null) await mailAlert(channels, systemMail, alert, isOver)
  if (webhook !== null) await postAlert(webhook, alertJson(alert, isOver, channels.origin.hostname))
}

async function mailAlert(
  { alertTo, store, origin }: AlertChannels,
  systemMail: AlertMailer,
  alert: Alert,
  isOver: boolean,
): Promise<void> {
  const { id, since } = alert
  const { domains } = await store.accounts()
  const page = pageOfAlert(alert, domains)
  const operators = alertTo.map((address) => ({ address, isOperator: true }))
  const readers = [...readersOf(alert, await store.people(null)), ...operators]
  // The last one of an address counts.
  for (const [to, isOperator] of new Map(readers.map((reader) => [reader.address, reader.isOperator]))) {
    const key = `alert:${id}:${since}:${isOver ? 'over' : 'begun'}:${to}`
    await systemMail.send({
      ...alertMail(alert, adviceFor(isOperator, alert), isOver, origin, page),
      to,
      key,
    })
  }
}

async function postAlert(
  { url, ask, userAgent }: NonNullable<AlertChannels['webhook']>,
  content: object,
): Promise<void> {
  const { status } = await ask({
    method: 'POST',
    url: new URL(url),
    headers: { 'content-type': 'application/json', 'user-agent': userAgent },
    body: JSON.stringify(content),
    timeoutMs: TIMEOUT_MS,
    maxOctets: MOST_OF_ANSWER,
  })
  if (status < 200 || status > 299)
    throw new Error(`The URL of POSTROAD_ALERT_WEBHOOK answers with status ${status}`)
}
