import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { loadSettings } from '../../src/config/load.ts'
import { Installation } from '../support/installation.ts'
import { withoutPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { Fleet } from './fleet.ts'

describe('the roles of a node', { skip: withoutPostgres() }, () => {
  test('an API node delivers nothing, and delivery nodes send the mail that it accepted', async () => {
    await using fleet = await Fleet.start()
    const api = await fleet.node('api', 'api')
    const sent = await fleet.send(api, 5)
    const lanes = await fleet.installation.command<{ waiting: number; sending: number }[]>('queue')
    assert.deepEqual(
      lanes.map(({ waiting, sending }) => [waiting, sending]),
      [[5, 0]],
    )
    const delivery = await fleet.node('delivery', 'delivery')
    await fleet.arrived(sent)
    // Told by the other node, not found by chance: no clock would make it look for another half minute.
    for (let n = 0; n < 3; n++) await fleet.arrived(await fleet.send(api, 1))
    assert.deepEqual(
      (await fleet.nodes()).map(({ name, roles }) => [name, roles]),
      [
        ['api', ['api']],
        ['delivery', ['delivery']],
      ],
    )
    await until(
      async () => (await delivery.metric('postroad_nodes{role="api"}')) === 1,
      'the nodes to be counted',
    )
    assert.deepEqual(fleet.doubled(), [])
  })

  test('a delivery node serves /health, /ready and /metrics, and no API', async () => {
    await using fleet = await Fleet.start()
    const { api, child } = await fleet.node('delivery', 'delivery')
    for (const path of ['/health', '/ready', '/metrics']) {
      assert.equal((await fetch(`${child.url}${path}`)).status, 200, path)
    }
    assert.equal((await fetch(`${child.url}/`)).status, 404)
    const email = { from: 'a@acme.test', to: 'b@x.test', subject: 's', text: 't' }
    assert.equal((await api.send(email)).status, 404)
    assert.equal((await api.sendForm('acme.test', [['from', 'a@acme.test']])).status, 404)
    assert.equal((await api.read('019a9b2c-0000-7000-8000-000000000001')).status, 404)
  })

  test('a node does not start while its database cannot be reached, and says so', async () => {
    await using installation = new Installation({
      POSTROAD_DATABASE_URL: 'postgres://someone:hush@127.0.0.1:1/postroad',
      POSTROAD_SECRET_KEY: '0'.repeat(64),
    })
    await assert.rejects(installation.serve(), (error: Error) => {
      assert.match(error.message, /serve ended \(1\) before it listened/)
      assert.match(error.message, /postroad: .*127\.0\.0\.1:1\/postroad/)
      assert.doesNotMatch(error.message, /hush|\bat .*\.ts:/)
      return true
    })
  })
})

describe('POSTROAD_ROLES', () => {
  const load = (env: Record<string, string>) => loadSettings(env, { envFile: null })

  test('are both by default, in one order, and accept no other word', () => {
    assert.deepEqual(load({}).roles, ['api', 'delivery'])
    assert.deepEqual(load({ POSTROAD_ROLES: 'Delivery, api' }).roles, ['api', 'delivery'])
    const postgres = { POSTROAD_DATABASE_URL: 'postgres://localhost/postroad' }
    assert.deepEqual(load({ ...postgres, POSTROAD_ROLES: 'delivery' }).roles, ['delivery'])
    for (const wrong of ['console', 'api,', 'api;delivery']) {
      assert.throws(() => load({ ...postgres, POSTROAD_ROLES: wrong }), /POSTROAD_ROLES/)
    }
  })

  test('cannot be divided on SQLite', () => {
    assert.throws(
      () => load({ POSTROAD_ROLES: 'api' }),
      /POSTROAD_ROLES is api, but only one node can use an SQLite database.*postgres:/s,
    )
  })
})
