import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withoutPostgres } from '../support/postgres.ts'
import type { ShownEmail } from '../support/relayed-service.ts'
import { until } from '../support/until.ts'
import { Fleet, Gate, type Node } from './fleet.ts'

/** One session for each of two nodes. */
const ONE_EACH = { POSTROAD_CONCURRENCY: '1', POSTROAD_SITE_CONCURRENCY: '2' }

describe('cancellations, suppressions and pauses', { skip: withoutPostgres() }, () => {
  test('stop mail on every node, also mail that already waits in memory', async () => {
    const gate = new Gate()
    gate.close()
    await using fleet = await Fleet.start({
      script: async ({ step, recipient }) => {
        if (recipient?.startsWith('gone@')) return { reply: '550 5.1.1 no such user' }
        if (step === 'mail') await gate.pass()
        return undefined
      },
    })
    const { installation, tenant } = fleet
    const nodes = [
      await fleet.node('one', 'api,delivery', ONE_EACH),
      await fleet.node('two', 'api,delivery', ONE_EACH),
    ]
    const shown = (id: string) => installation.command<ShownEmail>('email', 'show', id)
    const states = async (id: string) => (await shown(id)).recipients.map(({ state }) => state).join()
    const send = (node: Node, to: string) =>
      node.api.accepted({ from: 'a@acme.test', to, subject: 's', text: 't' })

    // One session each is taken up, and more is leased behind it.
    const first = await Promise.all(nodes.map((node) => send(node, 'first@x.test')))
    await until(() => gate.waiting === 2, 'both nodes to be busy')
    const unwanted = await Promise.all(nodes.map((node) => send(node, 'unwanted@x.test')))
    const paused = await Promise.all(nodes.map((node) => send(node, 'to@paused.test')))
    const canceled = await Promise.all(nodes.map((node) => send(node, 'canceled@x.test')))
    const wanted = await Promise.all(nodes.map((node) => send(node, 'wanted@x.test')))
    for (const id of [...unwanted, ...paused, ...canceled, ...wanted])
      assert.equal(await states(id), 'sending')

    for (const id of canceled) await installation.command('email', 'cancel', id)
    await installation.command('suppression', 'add', 'unwanted@x.test', '--company', tenant.companyId)
    await installation.command('queue', 'pause', '--domain', 'paused.test')
    // A node that knows of the pause leases no new mail for that domain. It then knows the earlier stops as well.
    for (const node of nodes) {
      await until(
        async () => (await states(await send(node, 'probe@paused.test'))) === 'waiting',
        'the pause',
      )
    }
    gate.open()
    const ends: [string[], string][] = [
      [first, 'delivered'],
      [unwanted, 'suppressed'],
      [paused, 'waiting'],
      [canceled, 'canceled'],
      [wanted, 'delivered'],
    ]
    for (const [ids, state] of ends) {
      for (const id of ids) await until(async () => (await states(id)) === state, `${id} to be ${state}`)
    }
    const arrived = fleet.sink.messages.flatMap(({ recipients }) => recipients).sort()
    assert.deepEqual(arrived, ['first@x.test', 'first@x.test', 'wanted@x.test', 'wanted@x.test'])
    for (const id of [...paused, ...unwanted]) assert.equal((await shown(id)).recipients[0]?.attempts, 0)

    await installation.command('queue', 'resume', '--domain', 'paused.test')
    for (const id of paused) await until(async () => (await states(id)) === 'delivered', 'what was paused')
  })

  test('a bounce at one node stops the address at the other, a revoked key and a suspended domain at both', async () => {
    await using fleet = await Fleet.start({
      script: ({ recipient }) =>
        recipient?.startsWith('gone@') ? { reply: '550 5.1.1 no such user' } : undefined,
    })
    const { installation } = fleet
    const nodes = [await fleet.node('one', 'api,delivery'), await fleet.node('two', 'api,delivery')]
    const [one, two] = nodes as [Node, Node]
    const email = { from: 'a@acme.test', to: 'gone@x.test', subject: 's', text: 't' }
    await one.api.lastEvent(await one.api.accepted(email), 'bounced')
    await two.api.lastEvent(await two.api.accepted(email), 'suppressed')

    await installation.command('domain', 'suspend', 'acme.test')
    for (const { api } of nodes)
      await until(async () => (await api.send(email)).status === 403, 'a suspended domain')
    const [key] = await installation.command<{ id: string }[]>('key', 'list')
    await installation.command('key', 'revoke', key!.id)
    for (const { api } of nodes)
      await until(async () => (await api.send(email)).status === 401, 'a revoked key')
  })
})
