import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseDatabase } from '../../src/config/parse/database.ts'
import { openStore } from '../../src/store/open.ts'
import { withoutPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { Fleet, Gate } from './fleet.ts'

describe('a relay that refused two nodes', { skip: withoutPostgres() }, () => {
  test('gets their mail once it is well: they do not put off its next try for each other', async (t) => {
    const gate = new Gate()
    gate.close()
    let refuses = true
    const refused = new Set<string>()
    await using fleet = await Fleet.start({
      // The first pause between two tries is half the first wait, and the longest one is the longest wait.
      settings: { POSTROAD_RETRY_SCHEDULE: `1s${',5s'.repeat(60)}`, POSTROAD_NODE_TIMEOUT: '10s' },
      script: async ({ step }, node) => {
        if (step !== 'ehlo' || !refuses) return undefined
        refused.add(node)
        await gate.pass()
        return { reply: '421 4.7.1 Your IP address is blocked', close: true }
      },
    })
    const store = await openStore(parseDatabase(fleet.database), { exclusive: false })
    t.after(() => store.close())
    const nodes = [await fleet.node('first', 'api,delivery'), await fleet.node('second', 'api,delivery')]
    for (const node of nodes) {
      await until(
        async () => (await node.metric('postroad_nodes{role="delivery"}')) === 2,
        'both nodes to be known',
      )
    }
    const sent = new Map<string, string>()
    for (const node of nodes) {
      for (const [address, id] of await fleet.send(node, 3)) sent.set(address, id)
    }
    // Neither has learnt of it from the other one.
    await until(() => refused.size === 2, 'a session of each node')
    gate.open()
    const closed = async () => {
      const counts = nodes.map((node) => node.metric('postroad_paths_closed{kind="path"}'))
      return (await Promise.all(counts)).every((count) => count === 1)
    }
    await until(closed, 'both nodes to know that the path is closed')
    const writes = new Set<number>()
    await until(async () => {
      for (const { changedAt, state } of await store.sharedPaths())
        if (state.closed !== null) writes.add(changedAt)
      return writes.size >= 5
    }, 'the nodes to have read of each other')
    refuses = false
    // While one node tries, the mail of the other one waits for a minute.
    await until(() => fleet.copies().size === sent.size, 'the mail', 3 * 60_000)
    await fleet.recorded()
    assert.deepEqual(fleet.doubled(), [])
  })
})
