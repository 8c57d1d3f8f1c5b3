/** Troubles of a company's mail, which no check of the installation shows. */

import type { NewAlert } from '../../store/store.ts'
import { showVolumeByCompany, type Volume } from '../overview.ts'
import type { Operation } from '../verb.ts'
import { nameOf } from './company-name.ts'
import { waitingMail } from './company-waiting.ts'

const HOUR = 3_600_000
/** Ms for which a webhook must fail before an alert is sent. */
const WEBHOOK_FAILS_MS = HOUR
/** Recipients of a day below which a share says little. */
const LEAST_VOLUME = 100
/** Shares from which providers restrict a sender. */
const MOST_BOUNCED = 0.05
const MOST_COMPLAINED = 0.001

/** The prefixes of their ids: a trouble with one of them that is not found any more is over. */
export const COMPANY_TROUBLES = ['webhook:', 'bounces:', 'complaints:', 'waiting:'] as const

export async function companyTroubles(op: Operation): Promise<NewAlert[]> {
  const [webhooks, rates, waiting] = await Promise.all([failingWebhooks(op), highRates(op), waitingMail(op)])
  return [...webhooks, ...rates, ...waiting]
}

async function failingWebhooks(op: Operation): Promise<NewAlert[]> {
  const all = await op.store.webhooks({})
  const since = op.now() - WEBHOOK_FAILS_MS
  return all
    .filter(
      ({ status, failingSince }) => status === 'enabled' && failingSince !== null && failingSince <= since,
    )
    .map(({ id, companyId, url }) => ({
      id: `webhook:${id}`,
      companyId,
      title: `Webhook of ${nameOf(op, companyId)}`,
      found: `${new URL(url).host} has not accepted an event for an hour.`,
      ...advice('Its attempts show what its server answers. Correct the server, then replay what failed.'),
    }))
}

async function highRates(op: Operation): Promise<NewAlert[]> {
  const { volumes } = await showVolumeByCompany(op, { span: 'day' })
  return (volumes ?? []).flatMap(({ key: companyId, volume }) => ratesOf(op, companyId, volume))
}

function ratesOf(op: Operation, companyId: string, volume: Volume): NewAlert[] {
  const { delivered = 0, bounced = 0, complained = 0 } = volume
  const ended = delivered + bounced
  if (ended < LEAST_VOLUME) return []
  const name = nameOf(op, companyId)
  const rate = (kind: 'bounces' | 'complaints', count: number, most: number, text: string): NewAlert[] =>
    count / ended <= most
      ? []
      : [
          {
            id: `${kind}:${companyId}`,
            companyId,
            title: `${kind === 'bounces' ? 'Bounces' : 'Complaints'} of ${name}`,
            found: `${percent(count / ended)} of the mail of the last day: ${count} of ${ended} recipients.`,
            ...advice(text),
          },
        ]
  return [
    ...rate('bounces', bounced, MOST_BOUNCED, 'Send only to addresses that were confirmed by their owners.'),
    ...rate(
      'complaints',
      complained,
      MOST_COMPLAINED,
      'Send only to people who asked for the mail, and make it easy to unsubscribe.',
    ),
  ]
}

/** That everybody can follow. */
function advice(text: string): Pick<NewAlert, 'advice' | 'memberAdvice'> {
  return { advice: text, memberAdvice: text }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.01 ? 2 : 1)}%`
}
