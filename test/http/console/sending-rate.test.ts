/** The rate limit of a company holds for people who send from the console as it does for its keys. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { Api, type Reply } from '../requests.ts'
import { Visitor } from './visitor.ts'

const MESSAGE = { from: 'a@acme.example', to: 'b@x.test', subject: 'Hi', text: 'Hi' }

describe('the rate of a company', () => {
  let service: Service
  let api: Api
  let owner: Visitor
  let path: string
  let id: string

  before(async () => {
    service = await startService()
    const { company, key } = await service.tenant('acme.example')
    api = new Api(service.url, key.token)
    id = await api.accepted(MESSAGE)
    owner = await Visitor.signIn(service, [{ companyId: company.id, role: 'owner' }])
    path = `/companies/${company.id}`
    await service.store.updateCompany(company.id, { limits: { rate: 1 } })
    await service.app.refreshAccounts()
  })
  after(() => service?.close())

  const sendTest = () => owner.ask('POST', `${path}/messages`, MESSAGE)
  const sendAgain = () => owner.ask('POST', `${path}/emails/${id}/again`, { click: crypto.randomUUID() })

  /** Of simultaneous requests, those refused for the rate; all others succeeded. */
  async function refused(asked: Promise<Reply>[]): Promise<Reply[]> {
    const replies = await Promise.all(asked)
    const some = replies.filter(({ status }) => status === 429)
    assert.ok(replies.every(({ status }) => status === 200 || status === 429))
    for (const { headers } of some) assert.match(headers.get('retry-after') ?? '', /^[1-9]/)
    return some
  }

  for (const [name, send] of Object.entries({ sendTest, sendAgain })) {
    test(`holds for ${name}`, async () => {
      const some = await refused(Array.from({ length: 20 }, send))
      assert.ok(some.length >= 10, `${some.length} of 20`)
    })
  }

  test('is shared by its keys and the console', async () => {
    const few = Array.from({ length: 5 }, () => [api.send(MESSAGE), sendTest(), sendAgain()]).flat()
    const some = await refused(few)
    assert.ok(some.length >= 8, `${some.length} of 15`)
  })

  test('is not used up by requests that only read', async () => {
    const looks = Array.from({ length: 10 }, () => owner.ask('GET', `${path}/emails/${id}`))
    for (const { status } of await Promise.all(looks)) assert.equal(status, 200)
  })
})
