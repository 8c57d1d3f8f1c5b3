/** With POSTROAD_SYSTEM_FROM, invitations are mailed through the service itself, and people choose their alerts. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import type { Reply } from '../requests.ts'
import { Tenant } from './tenant.ts'

const ok = (reply: Reply, status = 200) => assert.equal(reply.status, status, reply.text)

let service: Service
let tenant: Tenant
before(async () => {
  service = await startService({ systemFrom: 'postroad@ops.example' })
  tenant = await Tenant.make(service, 'Gamma')
})
after(() => service.close())

async function invited(address: string) {
  const owner = await tenant.visitor('owner')
  const made = await owner.ask('POST', `/companies/${tenant.company.id}/team/invitations`, {
    address,
    role: 'viewer',
  })
  ok(made, 201)
  return made.body as { link: string; mailed: boolean }
}

test('while no domain sends for the service, the link is only shown', async () => {
  const { link, mailed } = await invited('first@people.example')
  assert.equal(mailed, false)
  assert.match(link, /#token=/)
})

test('an invitation is mailed with its link', async () => {
  const operators = await service.company('Operators')
  await service.domain(operators.id, 'ops.example')
  const { link, mailed } = await invited('ada@people.example')
  assert.equal(mailed, true)
  const [email] = await service.store.listEmails({ companyId: operators.id, limit: 1 })
  assert.deepEqual([email!.to, email!.subject], [['ada@people.example'], 'Invitation to Gamma'])
  const content = await service.store.readContent(email!.id, 10_000)
  assert.ok(content!.text!.beginning.includes(`Accept the invitation: ${link}\n`))
})

test('a person chooses which alerts to get', async () => {
  const visitor = await tenant.visitor('viewer')
  const changed = await visitor.ask('PATCH', '/account', { alerts: ['rates', 'domains', 'rates'] })
  ok(changed)
  const { person, installation } = changed.body as {
    person: { alerts: string[] }
    installation: { mails: boolean }
  }
  assert.deepEqual([person.alerts, installation.mails], [['domains', 'rates'], true])
  assert.deepEqual((await service.store.findPerson({ id: visitor.person.id }))!.alerts, ['domains', 'rates'])
  assert.equal((await visitor.ask('PATCH', '/account', { alerts: ['weather'] })).status, 422)
})
