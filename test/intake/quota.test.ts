/** The quota of a company, as both dialects tell of it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { CompanyLimits } from '../../src/accounts/account.ts'
import { Api, assertFormError, assertJsonError, emailCount } from '../http/requests.ts'
import { type Service, startService } from '../support/service.ts'

describe('a quota', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  async function tenant(
    name: string,
    limits: Partial<CompanyLimits>,
  ): Promise<{ api: Api; companyId: string }> {
    const { company, key } = await service.tenant(name)
    await service.store.updateCompany(company.id, { limits })
    await service.app.refreshAccounts()
    return { api: new Api(service.url, key.token), companyId: company.id }
  }

  test('refuses what goes beyond it in the words of each dialect, and leaves nothing behind', async () => {
    const { api, companyId } = await tenant('daily.test', { daily: 3 })
    const email = { from: 'a@daily.test', subject: 's', text: 't' }
    await api.accepted({ ...email, to: ['x@x.test', 'y@x.test'] })
    const before = await emailCount(service, companyId)
    const two = await api.send({ ...email, to: ['x@x.test', 'y@x.test'] })
    assertJsonError(two, 429, 'daily_quota_exceeded', 'You have exceeded your daily email sending quota.')
    const form = await api.form('daily.test', [
      ['from', 'a@daily.test'],
      ['to', 'x@x.test'],
      ['to', 'y@x.test'],
      ['text', 't'],
    ])
    assertFormError(
      form,
      429,
      /^Domain daily\.test is not allowed to send: recipient limit exceeded, try again after \w{3}, \d\d \w{3} \d{4} 00:00:00 UTC$/,
    )
    for (const { headers } of [two, form]) assert.match(headers.get('retry-after')!, /^\d{1,5}$/)
    assert.equal(await emailCount(service, companyId), before)
    await api.accepted({ ...email, to: 'x@x.test' })
  })

  test('of a month has a name of its own, and counts nothing for a company without one', async () => {
    const { api } = await tenant('monthly.test', { monthly: 1 })
    const { api: free } = await tenant('free.test', {})
    const email = { to: 'x@x.test', subject: 's', text: 't' }
    await api.accepted({ ...email, from: 'a@monthly.test' })
    const over = await api.send({ ...email, from: 'a@monthly.test' })
    assertJsonError(over, 429, 'monthly_quota_exceeded')
    for (let n = 0; n < 3; n++) await free.accepted({ ...email, from: 'a@free.test' })
  })
})
