/** Problems of a company's mail, which no check of the installation shows: the one list of them. */
import type { AlertKind } from '../../people/person.ts'
import type { NewAlert } from '../../store/store.ts'
import { numberText } from '../number-text.ts'
import { showVolumeByCompany, type Volume } from '../overview.ts'
import type { Operation } from '../verb.ts'
import { nameOf } from './company-name.ts'
import { waitingMail } from './company-waiting.ts'
import { NOTHING_FOUND, type ProblemFindings, runSearches } from './problem-search.ts'

const HOUR = 3_600_000
/** Ms for which a webhook must fail before an alert is sent. */
const WEBHOOK_FAILS_MS = HOUR
/** Recipients of a day below which a share says little. */
const LEAST_VOLUME = 100
/** Shares from which providers restrict a sender. */
const MAX_BOUNCED = 0.05
const MAX_COMPLAINED = 0.001

interface CompanyProblem {
  find(op: Operation, onFault: (error: unknown) => void): Promise<ProblemFindings>
  /** The alerts that people choose to get. */
  kind: AlertKind
  /** The page of the company that shows it. `subject`: what follows the colon. */
  page(subject: string): string
}

const overview = () => 'overview'

/** By the first word of their ids, before a colon. A problem of these kinds that is not found any more is over. */
const COMPANY_PROBLEMS: Readonly<Record<string, CompanyProblem>> = {
  webhook: { find: failingWebhooks, kind: 'webhooks', page: (id) => `webhooks/${id}` },
  bounces: { find: (op) => highRates(op, 'bounces'), kind: 'rates', page: overview },
  complaints: { find: (op) => highRates(op, 'complaints'), kind: 'rates', page: overview },
  waiting: { find: waitingMail, kind: 'waiting', page: overview },
}

/** Null: the alert is about a check of the doctor. */
export function companyProblemOf(id: string): { kind: AlertKind; page: string } | null {
  const [word = '', subject = ''] = id.split(/:(.*)/s)
  const problem = COMPANY_PROBLEMS[word]
  return problem === undefined ? null : { kind: problem.kind, page: problem.page(subject) }
}

export async function companyProblems(
  op: Operation,
  onFault: (error: unknown) => void,
): Promise<ProblemFindings> {
  const searches = Object.entries(COMPANY_PROBLEMS).map(([word, { find }]) => ({
    id: `${word}:`,
    find: () => find(op, onFault),
  }))
  return await runSearches(searches, onFault)
}

async function failingWebhooks(op: Operation): Promise<ProblemFindings> {
  const all = await op.store.webhooks({})
  const since = op.now() - WEBHOOK_FAILS_MS
  const found = all
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
  return { ...NOTHING_FOUND, found }
}

const RATES = {
  bounces: {
    title: 'Bounces',
    type: 'bounced',
    most: MAX_BOUNCED,
    advice: 'Send only to addresses that were confirmed by their owners.',
  },
  complaints: {
    title: 'Complaints',
    type: 'complained',
    most: MAX_COMPLAINED,
    advice: 'Send only to people who asked for the mail, and make it easy to unsubscribe.',
  },
} as const

async function highRates(op: Operation, kind: keyof typeof RATES): Promise<ProblemFindings> {
  // Both kinds share the answer.
  const { volumes } = await showVolumeByCompany(op, { span: 'day' })
  if (volumes === null) return { found: [], unknown: [`${kind}:`] }
  return { ...NOTHING_FOUND, found: volumes.flatMap(({ key, volume }) => rateOf(op, key, volume, kind)) }
}

function rateOf(op: Operation, companyId: string, volume: Volume, kind: keyof typeof RATES): NewAlert[] {
  const { delivered = 0, bounced = 0 } = volume
  const ended = delivered + bounced
  const { title, type, most, advice: text } = RATES[kind]
  const count = volume[type] ?? 0
  if (ended < LEAST_VOLUME || count / ended <= most) return []
  const found = `${percent(count / ended)} of the mail of the last day: ${numberText(count)} of ${numberText(ended)} recipients.`
  const name = nameOf(op, companyId)
  return [{ id: `${kind}:${companyId}`, companyId, title: `${title} of ${name}`, found, ...advice(text) }]
}

/** The same advice for operators and members. */
function advice(text: string): Pick<NewAlert, 'advice' | 'memberAdvice'> {
  return { advice: text, memberAdvice: text }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.01 ? 2 : 1)}%`
}
