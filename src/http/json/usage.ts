/** `GET /usage`: the mail that a company has sent today and this month, with its limits. */

import { USUAL_MAX } from '../../accounts/account.ts'
import { DAY_MS } from '../../common/utc-day.ts'
import { authoriseWhole } from '../../operate/authority.ts'
import type { HttpCore } from '../core.ts'
import { groupsOf } from '../counts.ts'
import { operationOfKey } from '../operation.ts'
import { route } from '../route.ts'
import { timestamp } from './timestamp.ts'

const WHOLE = { type: 'integer' } as const
const LIMIT = { anyOf: [WHOLE, { type: 'null' }], description: 'Null: no limit.' } as const
const TIME = { type: 'string' } as const
const PERIOD = {
  type: 'object',
  properties: { used: WHOLE, limit: LIMIT, sent: WHOLE, received: WHOLE, resets_at: TIME },
} as const
const NONE = {
  type: 'object',
  description: 'There are none in this service.',
  properties: { used: WHOLE, limit: LIMIT },
} as const

export const usage = route('GET /usage', {
  operation: 'usage',
  access: 'reading',
  operationId: 'usage',
  summary: 'Get the recipients of a company today and this month, and its limits',
  answer: {
    type: 'object',
    properties: {
      object: { const: 'usage' },
      emails: { type: 'object', properties: { daily: PERIOD, monthly: PERIOD } },
      contacts: NONE,
      segments: NONE,
      broadcasts: NONE,
      ai_credits: {
        ...NONE,
        properties: { ...NONE.properties, next_increase_at: { type: 'null' } },
      },
      automation_runs: { ...NONE, properties: { ...NONE.properties, resets_at: TIME } },
      domains: { type: 'object', properties: { used: WHOLE, limit: WHOLE } },
      rate_limit: {
        type: 'object',
        properties: {
          limit: { ...LIMIT, anyOf: [{ type: 'number' }, { type: 'null' }] },
          duration: { type: 'string' },
        },
      },
    },
  },
})(async ({ caller }, core) => {
  // A key for one domain is refused: `/emails/metrics` has the figures of one domain.
  authoriseWhole(operationOfKey(core, caller).caller)
  const { companyId } = caller
  const now = new Date()
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const ends = { day: timestamp(today + DAY_MS), month: timestamp(Date.UTC(year, month + 1)) }
  const { daily, monthly } = await usedOf(core, companyId, { today, month: Date.UTC(year, month) })
  const { directory } = core.deps.accounts
  const limits = directory.company(companyId)?.limits
  const domains = directory.domains().filter((domain) => domain.companyId === companyId).length
  const none = { used: 0, limit: null }
  return {
    object: 'usage',
    emails: {
      daily: {
        used: daily,
        limit: limits?.daily ?? null,
        sent: daily,
        received: 0,
        resets_at: ends.day,
      },
      monthly: {
        used: monthly,
        limit: limits?.monthly ?? null,
        sent: monthly,
        received: 0,
        resets_at: ends.month,
      },
    },
    contacts: none,
    segments: none,
    broadcasts: none,
    ai_credits: { ...none, next_increase_at: null },
    automation_runs: { ...none, resets_at: ends.month },
    domains: { used: domains, limit: limits?.domains ?? USUAL_MAX.domains },
    rate_limit: { limit: limits?.rate ?? core.deps.settings.rateLimit, duration: '1s' },
  }
})

/** The number of recipients, from the quota of the company if it has one, otherwise from the counts of the log. */
async function usedOf(
  core: HttpCore,
  companyId: string,
  since: { today: number; month: number },
): Promise<{ daily: number; monthly: number }> {
  const { accounts, store } = core.deps
  if (accounts.directory.quotaOf(companyId) !== undefined) {
    return await store.quotaUsed(companyId, Date.now())
  }
  const acceptedFrom = async (start: number) => {
    const { sums } = await groupsOf(core, {
      companyId,
      domainId: null,
      size: 'day',
      dimension: 'total',
      value: null,
      since: start,
      until: since.today + DAY_MS,
      by: { time: null, value: false },
      skip: 0,
      limit: 1,
    })
    return sums.accepted ?? 0
  }
  return { daily: await acceptedFrom(since.today), monthly: await acceptedFrom(since.month) }
}
