/**
 * 08: suppressed after a bounce.
 *
 * A server says that an address does not exist (550 5.1.1). The company's next message to it is accepted and ends as `suppressed` without
 * any contact with the server; another company may still try; and the operator can lift the suppression.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiClient } from '../../support/api-client.ts'
import { startRelayed } from '../../support/relayed-service.ts'

test('an address that does not exist is not tried again by the same company', async () => {
  await using stage = await startRelayed()
  const { sink, api, service, installation, tenant } = stage
  let tries = 0
  sink.script = ({ step, recipient }) => {
    if (step !== 'rcpt' || recipient !== 'gone@in.test') return undefined
    tries++
    return { reply: '550 5.1.1 no such user' }
  }
  const email = { from: 'hello@acme.test', to: 'gone@in.test', subject: 'hello', text: 'hello' }
  await api.lastEvent(await api.accepted(email), 'bounced')
  assert.equal(tries, 1)

  // Case makes no difference to whether an address exists.
  const second = await api.accepted({ ...email, to: 'GONE@in.test' })
  await api.lastEvent(second, 'suppressed')
  assert.equal((await stage.show(second)).recipients[0]!.state, 'suppressed')
  assert.equal(tries, 1)

  // The others of the same email are delivered.
  const mixed = await api.accepted({ ...email, to: ['gone@in.test', 'fine@in.test'] })
  assert.deepEqual((await sink.next()).recipients, ['fine@in.test'])
  await api.lastEvent(mixed, 'delivered')
  assert.equal(tries, 1)

  const other = await installation.addTenant('other.test')
  const otherApi = new ApiClient(service.url, other.token)
  await otherApi.known()
  await otherApi.lastEvent(await otherApi.accepted({ ...email, from: 'a@other.test' }), 'bounced')
  assert.equal(tries, 2)

  await installation.command('suppression', 'remove', 'gone@in.test', '--company', tenant.companyId)
  sink.script = undefined
  await api.lastEvent(await api.accepted(email), 'delivered')
})
