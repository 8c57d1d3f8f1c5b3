/** The quota of a company, in the answers of both dialects. */
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

  const counted = ({ headers }: { headers: Headers }) =>
    ['x-resend-daily-quota', 'x-resend-monthly-quota'].map((name) => headers.get(name))

  async function tenant(
    name: string,
    limits: Partial<CompanyLimits>,
  ): Promise<{ api: Api; companyId: string }> {
    const { company, key } = await service.tenant(name)
    await service.store.updateCompany(company.id, { limits })
    await service.app.refreshAccounts()
    return { api: new Api(service.url, key.token), companyId: company.id }
  }

  test('refuses emails beyond it in the words of each dialect, and leaves nothing behind', async () => {
    const { api, companyId } = await tenant('daily.test', { daily: 3 })
    const email = { from: 'a@daily.test', subject: 's', text: 't' }
    const first = await api.send({ ...email, to: ['x@x.test', 'y@x.test'] })
    assert.deepEqual([first.status, ...counted(first)], [200, '2', null])
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
    assert.deepEqual(counted(await api.send({ ...email, from: 'a@monthly.test' })), [null, '1'])
    const over = await api.send({ ...email, from: 'a@monthly.test' })
    assertJsonError(over, 429, 'monthly_quota_exceeded')
    assert.deepEqual(counted(await free.send({ ...email, from: 'a@free.test' })), [null, null])
    for (let n = 0; n < 3; n++) await free.accepted({ ...email, from: 'a@free.test' })
  })
})
