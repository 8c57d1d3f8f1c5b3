import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withoutPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { Fleet, Gate } from './fleet.ts'

describe('a relay that takes nothing', { skip: withoutPostgres() }, () => {
  test('is tried by one node at a time, and once it is open all mail leaves', async () => {
    const gate = new Gate()
    let dead = true
    let trying = 0
    let most = 0
    await using fleet = await Fleet.start({
      // The first pause is half the first wait, the longest pause the longest wait.
      settings: { POSTROAD_RETRY_SCHEDULE: '1s,1h', POSTROAD_NODE_TIMEOUT: '10s' },
      script: async ({ step }) => {
        if (step !== 'connect' || !dead) return undefined
        most = Math.max(most, ++trying)
        await gate.pass()
        trying--
        return dead ? { reply: '554 5.7.1 Your address is blocked' } : undefined
      },
    })
    const api = await fleet.node('api', 'api')
    const nodes = [await fleet.node('first', 'delivery'), await fleet.node('second', 'delivery')]
    for (const node of nodes) {
      await until(
        async () => (await node.metric('postroad_nodes{role="delivery"}')) === 2,
        'both nodes to be known',
      )
    }
    const sent = new Map<string, string>()
    const send = async () => {
      for (const [address, id] of await fleet.send(api, 5)) sent.set(address, id)
    }
    const closed = async () => {
      const counts = nodes.map((node) => node.metric('postroad_paths_closed{kind="path"}'))
      return (await Promise.all(counts)).every((count) => count === 1)
    }
    await until(async () => {
      await send()
      return await closed()
    }, 'both nodes to know that the path is closed')
    await until(() => trying === 0, 'the sessions of before to end')

    // A try is held up while mail comes in that any node would try the path with. The path may be closed for longer than
    // the test waits: the operator asks for the try, which both nodes would make.
    gate.close()
    most = 0
    await until(async () => {
      await send()
      await fleet.installation.command('queue', 'retry')
      return trying === 1
    }, 'a try')
    for (let n = 0; n < 20; n++) await send()
    assert.equal(most, 1)
    dead = false
    gate.open()
    await fleet.installation.command('queue', 'retry')
    await fleet.arrived(sent)
    await fleet.recorded()
    assert.deepEqual(fleet.doubled(), [])
    assert.equal(most, 1)
  })
})
