import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withoutPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { Fleet, Gate } from './fleet.ts'

const SESSIONS = 6

describe('the sessions to one site', { skip: withoutPostgres() }, () => {
  test('are divided among the nodes that deliver, as these come and go', async () => {
    const gate = new Gate()
    const speaking = new Map<string, number>()
    await using fleet = await Fleet.start({
      settings: {
        POSTROAD_SITE_CONCURRENCY: String(SESSIONS),
        // A node that the machine keeps from beating for so long is given up, and the other one takes its share: for good,
        // while the gate is closed. So it is longer than a busy machine needs.
        POSTROAD_NODE_TIMEOUT: '10s',
      },
      script: async ({ step }, node) => {
        if (step !== 'mail') return undefined
        speaking.set(node, (speaking.get(node) ?? 0) + 1)
        await gate.pass()
        speaking.set(node, speaking.get(node)! - 1)
        return undefined
      },
    })
    const at = (node: string) => speaking.get(node) ?? 0
    const api = await fleet.node('api', 'api')
    const first = await fleet.node('first', 'delivery')
    const second = await fleet.node('second', 'delivery')
    for (const node of [first, second]) {
      await until(
        async () => (await node.metric('postroad_nodes{role="delivery"}')) === 2,
        'both nodes to be known',
      )
    }
    gate.close()
    const sent = await fleet.send(api, 40)
    await until(
      () => at('first') === SESSIONS / 2 && at('second') === SESSIONS / 2,
      'each to use its share for a burst that fits into one claim',
    )
    assert.equal(gate.waiting, SESSIONS)

    // The sessions of a node that is gone end; the other one takes over what they were for.
    await second.child.kill('SIGKILL')
    await until(() => at('first') === SESSIONS, 'the one that is left to use them all')
    assert.equal(at('first'), SESSIONS)
    gate.open()
    await fleet.arrived(sent)
    await fleet.recorded()
    assert.deepEqual(fleet.doubled(), [])
  })

  test('are never exceeded where there are fewer than nodes, and all mail is sent', async () => {
    let most = 0
    let open = 0
    await using fleet = await Fleet.start({
      settings: { POSTROAD_SITE_CONCURRENCY: '1' },
      script: async ({ step }) => {
        if (step === 'mail') most = Math.max(most, ++open)
        if (step === 'answered') open--
        return undefined
      },
    })
    const nodes = [
      await fleet.node('first', 'api,delivery'),
      await fleet.node('second', 'delivery'),
      await fleet.node('third', 'delivery'),
    ]
    for (const node of nodes) {
      await until(
        async () => (await node.metric('postroad_nodes{role="delivery"}')) === 3,
        'all nodes to be known',
      )
    }
    const sent = new Map<string, string>()
    for (let n = 0; n < 4; n++) for (const [to, id] of await fleet.send(nodes[0]!, 20)) sent.set(to, id)
    await fleet.arrived(sent)
    await fleet.recorded()
    assert.equal(most, 1)
    assert.deepEqual(fleet.doubled(), [])
  })

  test('are used by all nodes for a burst that one of them accepts and could deliver alone', async () => {
    const gate = new Gate()
    gate.close()
    const speaking = new Set<string>()
    await using fleet = await Fleet.start({
      settings: { POSTROAD_SITE_CONCURRENCY: String(SESSIONS), POSTROAD_NODE_TIMEOUT: '30s' },
      script: async ({ step }, node) => {
        if (step !== 'mail') return undefined
        speaking.add(node)
        await gate.pass()
        return undefined
      },
    })
    const first = await fleet.node('first', 'api,delivery')
    const second = await fleet.node('second', 'api,delivery')
    for (const node of [first, second]) {
      await until(
        async () => (await node.metric('postroad_nodes{role="delivery"}')) === 2,
        'both nodes to be known',
      )
    }
    // To as many domains: the relay is the path of them all.
    const bursts = Array.from({ length: 40 }, (_, n) => fleet.send(first, 1, `x${n}.test`))
    const sent = new Map((await Promise.all(bursts)).flatMap((one) => [...one]))
    await until(() => speaking.size === 2, 'both nodes to deliver')
    gate.open()
    await fleet.arrived(sent)
    await fleet.recorded()
    assert.deepEqual(fleet.doubled(), [])
  })
})
