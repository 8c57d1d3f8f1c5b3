/** Who sends from the console is held to the rate of the company, as its keys are. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { type Service, startService } from '../../support/service.ts'
import { Api } from '../requests.ts'
import { Visitor } from './visitor.ts'

const MESSAGE = { from: 'a@acme.example', to: 'b@x.test', subject: 'Hi', text: 'Hi' }

/** A company that may make one request in ten seconds, and nothing of it used up yet. */
async function slowCompany(service: Service) {
  const { company, key } = await service.tenant('acme.example')
  const api = new Api(service.url, key.token)
  const id = await api.accepted(MESSAGE)
  const owner = await Visitor.signIn(service, [{ companyId: company.id, role: 'owner' }])
  await service.store.updateCompany(company.id, { limits: { rate: 0.1 } })
  await service.app.refreshAccounts()
  const path = `/companies/${company.id}`
  return {
    api,
    test: () => owner.ask('POST', `${path}/messages`, MESSAGE),
    again: () => owner.ask('POST', `${path}/emails/${id}/again`, { click: crypto.randomUUID() }),
    read: () => owner.ask('GET', `${path}/emails/${id}`),
  }
}

describe('the rate of a company', () => {
  for (const how of ['test', 'again'] as const) {
    test(`holds for what is sent by "${how}"`, async () => {
      await using service = await startService()
      const company = await slowCompany(service)
      assert.equal((await company[how]()).status, 200)
      const refused = await company[how]()
      assert.equal(refused.status, 429, refused.text)
      assert.ok(Number(refused.headers.get('retry-after')) > 1)
      // It is one rate for all ways in, and looking costs none of it.
      assert.equal((await company.api.send(MESSAGE)).status, 429)
      assert.equal((await company.read()).status, 200)
    })
  }

  test('is used up by a key for the console as well', async () => {
    await using service = await startService()
    const company = await slowCompany(service)
    await company.api.accepted(MESSAGE)
    assert.equal((await company.test()).status, 429)
    assert.equal((await company.again()).status, 429)
  })
})
