/** Alerts of several nodes, as processes, while the only one that delivers is gone. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { execute, withoutPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { Fleet } from './fleet.ts'

describe('alerts of several nodes', { skip: withoutPostgres() }, () => {
  test('say once that no node delivers, and once that it is over', async (t) => {
    const posted: { id: string; state: string; found: string }[] = []
    const server = createServer(async (request, response) => {
      posted.push(JSON.parse(await text(request)))
      response.writeHead(204).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    await using fleet = await Fleet.start({
      settings: {
        POSTROAD_ALERT_WEBHOOK: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
        POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
      },
    })
    const [api, delivery] = await Promise.all([
      fleet.node('api', 'api'),
      fleet.node('delivery', 'delivery'),
      fleet.node('other', 'api'),
    ])
    await delivery.child.kill('SIGKILL')
    await until(() => posted.length > 0, 'an alert')
    const told = posted.map(({ id, state, found }) => [id, state, found])
    assert.deepEqual(told, [['nodes', 'problem', 'No node sends mail.']])
    const sql = "SELECT channel FROM announcements WHERE knows = 'beginning'"
    await until(async () => (await execute(fleet.database, sql)).length > 0, 'the record of the announcement')

    await api.child.kill('SIGKILL')
    await fleet.node('delivery', 'delivery')
    await until(() => posted.length > 1, 'the end')
    assert.deepEqual(
      posted.map(({ id, state }) => [id, state]),
      [
        ['nodes', 'problem'],
        ['nodes', 'over'],
      ],
    )
  })
})
