/** Tells people of an alert, by mail and at a URL. */
import { hash } from 'node:crypto'
import type { SendRequest } from '../../network/outgoing.ts'
import type { Alert, Store } from '../../store/store.ts'
import { pageOfAlert } from './alert-page.ts'
import { readersOf } from './alert-readers.ts'
import { type AlertOrigin, alertJson, alertMail } from './alert-words.ts'

/** Sends mail of the service itself; the same `key` is sent once. */
interface AlertMailer {
  send(message: { to: string; subject: string; text: string; key: string }): Promise<void>
}

interface AlertWebhook {
  url: string
  ask: SendRequest
  userAgent: string
}

export interface AlertTransports {
  /** Null: no alert is sent by mail. */
  systemMail: AlertMailer | null
  /** Addresses that get all alerts, in addition to the people who choose them. */
  alertTo: readonly string[]
  /** Null: no URL is called. */
  webhook: AlertWebhook | null
  store: Pick<Store, 'accounts' | 'people'>
  origin: AlertOrigin
}

/** An address or a URL that an alert is sent to. */
export interface AlertChannel {
  /** The same on all nodes, and after a restart. */
  name: string
  /** Rejects when the channel does not accept the alert. */
  tell(isOver: boolean): Promise<void>
}

const TIMEOUT_MS = 15_000
const MAX_OF_ANSWER = 1_024

/** Finds the channels of alerts, by what people have chosen at this moment. */
export async function alertChannels(transports: AlertTransports): Promise<(alert: Alert) => AlertChannel[]> {
  const { systemMail, webhook, origin } = transports
  const mail = systemMail === null ? () => [] : await mailChannels(transports, systemMail)
  return (alert) => [...mail(alert), ...(webhook === null ? [] : [webhookChannel(webhook, alert, origin)])]
}

async function mailChannels(
  { alertTo, store, origin }: AlertTransports,
  systemMail: AlertMailer,
): Promise<(alert: Alert) => AlertChannel[]> {
  const [{ domains }, people] = await Promise.all([store.accounts(), store.people(null)])
  const operators = alertTo.map((address) => ({ address, isOperator: true }))
  return (alert) => {
    const { id, since } = alert
    const page = pageOfAlert(alert, domains)
    const readers = [...readersOf(alert, people), ...operators]
    // The last one of an address counts.
    const byAddress = new Map(readers.map((reader) => [reader.address, reader.isOperator]))
    return [...byAddress].map(([to, isOperator]) => ({
      name: `mail:${to}`,
      tell: (isOver) =>
        systemMail.send({
          ...alertMail(alert, isOperator, isOver, origin, page),
          to,
          key: `alert:${id}:${since}:${isOver ? 'over' : 'begun'}:${to}`,
        }),
    }))
  }
}

function webhookChannel(webhook: AlertWebhook, alert: Alert, { hostname }: AlertOrigin): AlertChannel {
  return {
    // The URL is a secret.
    name: `webhook:${hash('sha256', webhook.url).slice(0, 16)}`,
    tell: (isOver) => postAlert(webhook, alertJson(alert, isOver, hostname)),
  }
}

async function postAlert({ url, ask, userAgent }: AlertWebhook, content: object): Promise<void> {
  const { status } = await ask({
    method: 'POST',
    url: new URL(url),
    headers: { 'content-type': 'application/json', 'user-agent': userAgent },
    body: JSON.stringify(content),
    timeoutMs: TIMEOUT_MS,
    maxOctets: MAX_OF_ANSWER,
  })
  if (status < 200 || status > 299)
    throw new Error(`The URL of POSTROAD_ALERT_WEBHOOK answers with status ${status}`)
}
