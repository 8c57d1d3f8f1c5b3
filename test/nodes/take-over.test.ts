import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SeverableWay } from '../../harness/severable.ts'
import { withoutPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { Fleet, Gate, type Node } from './fleet.ts'

/** Three sessions for the one company (it leaves some free for others), all of which are held; further mail waits in memory. */
const FEW = { POSTROAD_CONCURRENCY: '4', POSTROAD_SITE_CONCURRENCY: '3' }

/** One node that delivers, whose way to the database can be severed, and one that takes mail in and watches over it. */
class CutOffNode implements AsyncDisposable {
  readonly node: Node
  readonly api: Node
  readonly #way: SeverableWay

  private constructor(node: Node, api: Node, way: SeverableWay) {
    this.node = node
    this.api = api
    this.#way = way
  }

  static async start(fleet: Fleet): Promise<CutOffNode> {
    const database = new URL(fleet.database)
    const way = await SeverableWay.to(database.hostname, Number(database.port))
    database.port = String(way.port)
    const settings = { ...FEW, POSTROAD_DATABASE_URL: database.href }
    const node = await fleet.node('cut-off', 'delivery', settings)
    return new CutOffNode(node, await fleet.node('api', 'api'), way)
  }

  sever(): void {
    this.#way.sever()
  }

  mend(): void {
    this.#way.mend()
  }

  /** Resolves when its work has been taken from it. */
  async givenUp(): Promise<void> {
    await until(
      async () => (await this.api.metric('postroad_nodes_given_up_total')) === 1,
      'the node to be given up',
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#way[Symbol.asyncDispose]()
  }
}

describe('the work of a node', { skip: withoutPostgres() }, () => {
  test('that was killed is done by another, each message once', async () => {
    await using fleet = await Fleet.start({
      script: ({ step }, node) => (step === 'data' && node === 'first' ? { hang: true } : undefined),
    })
    const { sink } = fleet
    const first = await fleet.node('first', 'api,delivery', FEW)
    const sent = await fleet.send(first, 12)
    await sink.when(() => sink.open === 3, 'three sessions')
    const second = await fleet.node('second', 'api,delivery')
    await first.child.kill('SIGKILL')
    for (const [address, id] of await fleet.send(second, 3)) sent.set(address, id)
    await fleet.arrived(sent)
    await fleet.recorded()
    assert.deepEqual(fleet.doubled(), [])
    assert.equal(sink.messages.length, sent.size)
    assert.equal(await second.metric('postroad_nodes_given_up_total'), 1)
    assert.deepEqual(
      (await fleet.nodes()).map(({ name }) => name),
      ['second'],
    )
  })

  test('that was stopped for longer than its timeout is done by another; woken up it sends nothing of it', async () => {
    const gate = new Gate()
    gate.close()
    await using fleet = await Fleet.start({
      script: async ({ step }, node) => {
        // The answer to DATA: only the message text and the final dot are missing then.
        if (step === 'data' && node === 'first') await gate.pass()
        return undefined
      },
    })
    const first = await fleet.node('first', 'api,delivery', FEW)
    const sent = await fleet.send(first, 12)
    await until(() => gate.waiting === 3, 'three transactions')
    const second = await fleet.node('second', 'delivery')
    first.child.signal('SIGSTOP')
    await fleet.arrived(sent)
    gate.open()
    first.child.signal('SIGCONT')
    await until(
      async () => (await first.metric('postroad_node_rejoined_total')) === 1,
      'the node to begin anew',
    )
    for (const [address, id] of await fleet.send(first, 6)) sent.set(address, id)
    await fleet.arrived(sent)
    await fleet.recorded()
    assert.deepEqual(fleet.doubled(), [])
    const names = (await fleet.nodes()).map(({ name }) => name)
    assert.deepEqual(names, ['second', 'first'])
    assert.equal(await second.metric('postroad_nodes_given_up_total'), 1)
  })

  test('that is cut off from the database is done by another; its late results are refused afterwards', async () => {
    const atData = new Gate()
    const atDot = new Gate()
    await using fleet = await Fleet.start({
      script: async ({ step, transaction }, node) => {
        if (node !== 'first') return undefined
        if (step === 'dot' && transaction === 1) await atDot.pass()
        if (step === 'data' && transaction === 2) await atData.pass()
        return undefined
      },
    })
    const { sink } = fleet
    const database = new URL(fleet.database)
    await using way = await SeverableWay.to(database.hostname, Number(database.port))
    database.port = String(way.port)
    const settings = { ...FEW, POSTROAD_CONCURRENCY: '1', POSTROAD_DATABASE_URL: database.href }
    atDot.close()
    atData.close()
    const first = await fleet.node('first', 'api,delivery', settings)
    const sent = await fleet.send(first, 8)
    await until(() => atDot.waiting === 1, 'a message on its way')
    const second = await fleet.node('second', 'delivery')
    way.sever()
    // Accepted by its server, and the node cannot write it down: the window in which a message may come twice.
    atDot.open()
    await sink.when(() => sink.messages.length >= 1, 'the first message')
    const [handedOver] = sink.messages[0]!.recipients
    await fleet.arrived(sent)
    // What no other node has taken by then would be the first one's own again.
    await sink.when(() => fleet.doubled().length === 1, 'the first message once more')
    atData.open()
    way.mend()
    await until(
      async () => (await first.metric('postroad_node_rejoined_total')) === 1,
      'the node to begin anew',
    )
    await until(
      async () => (await first.metric('postroad_fenced_results_total')) > 0,
      'its result to be refused',
    )
    for (const [address, id] of await fleet.send(first, 3)) sent.set(address, id)
    await fleet.arrived(sent)
    await fleet.recorded()
    assert.deepEqual(fleet.doubled(), [handedOver])
    assert.equal(await second.metric('postroad_nodes_given_up_total'), 1)
  })

  test('that is cut off for less than its timeout stays its own; the node records the messages sent meanwhile, and begins no others', async () => {
    const atDot = new Gate()
    const atData = new Gate()
    atDot.close()
    atData.close()
    await using fleet = await Fleet.start({
      settings: { POSTROAD_NODE_TIMEOUT: '10m' },
      script: async ({ step, transaction }) => {
        if (step === 'dot' && transaction === 1) await atDot.pass()
        if (step === 'data' && transaction === 2) await atData.pass()
        return undefined
      },
    })
    const { sink } = fleet
    const database = new URL(fleet.database)
    await using way = await SeverableWay.to(database.hostname, Number(database.port))
    database.port = String(way.port)
    const first = await fleet.node('first', 'api,delivery', {
      ...FEW,
      POSTROAD_DATABASE_URL: database.href,
    })
    const sent = await fleet.send(first, 12)
    await until(() => atDot.waiting === 3, 'three messages on their way')
    way.sever()
    atDot.open()
    await until(async () => (await first.metric('postroad_delivery_halted')) === 1, 'delivery to halt')
    atData.open()
    await sink.until(6)
    await until(async () => (await first.metric('postroad_deliveries_in_session')) === 0, 'these to end')
    assert.equal(sink.messages.length, 6)
    way.mend()
    await fleet.arrived(sent)
    await fleet.recorded()
    assert.deepEqual(fleet.doubled(), [])
    assert.equal(await first.metric('postroad_fenced_results_total'), 0)
  })

  test('that no other node did meanwhile is its own again: messages sent while it was cut off are recorded, not sent again', async () => {
    const atDot = new Gate()
    atDot.close()
    await using fleet = await Fleet.start({
      script: async ({ step }) => {
        if (step === 'dot') await atDot.pass()
        return undefined
      },
    })
    const { sink } = fleet
    await using cutOff = await CutOffNode.start(fleet)
    const sent = await fleet.send(cutOff.api, 6)
    await until(() => atDot.waiting === 3, 'three messages on their way')
    cutOff.sever()
    atDot.open()
    await sink.until(3)
    await cutOff.givenUp()
    cutOff.mend()
    await fleet.arrived(sent)
    await fleet.recorded()
    assert.deepEqual(fleet.doubled(), [])
    assert.equal(await cutOff.node.metric('postroad_node_rejoined_total'), 1)
  })

  test('that it takes again while its own attempt is still under way waits for the end of that attempt', async () => {
    const atDot = new Gate()
    atDot.close()
    await using fleet = await Fleet.start({
      script: async ({ step, transaction }) => {
        if (step === 'dot' && transaction === 1) await atDot.pass()
        return undefined
      },
    })
    await using cutOff = await CutOffNode.start(fleet)
    const sent = await fleet.send(cutOff.api, 3)
    await until(() => atDot.waiting === 3, 'three messages on their way')
    cutOff.sever()
    await cutOff.givenUp()
    cutOff.mend()
    await until(async () => (await fleet.leased()).size === 3, 'the node to take them again')
    atDot.open()
    await fleet.arrived(sent)
    await fleet.recorded()
    assert.deepEqual(fleet.doubled(), [])
    assert.equal(await cutOff.node.metric('postroad_fenced_results_total'), 3)
  })

  test('that is shut down goes to another at once', async () => {
    await using fleet = await Fleet.start({
      settings: { POSTROAD_NODE_TIMEOUT: '10m', POSTROAD_SHUTDOWN_TIMEOUT: '1s' },
      script: ({ step }, node) => (step === 'mail' && node === 'first' ? { hang: true } : undefined),
    })
    const { sink } = fleet
    const first = await fleet.node('first', 'api,delivery', FEW)
    const sent = await fleet.send(first, 12)
    await sink.when(() => sink.open === 3, 'three sessions')
    await fleet.node('second', 'delivery')
    assert.equal(await first.child.kill('SIGTERM'), 0)
    await fleet.arrived(sent)
    await fleet.recorded()
    assert.deepEqual(fleet.doubled(), [])
    assert.deepEqual(
      (await fleet.nodes()).map(({ name }) => name),
      ['second'],
    )
  })
})

describe('two API nodes and two delivery nodes', { skip: withoutPostgres() }, () => {
  test('lose no mail when one of each is killed under load, and send twice only messages that were on their way', async () => {
    await using fleet = await Fleet.start()
    const apis = [await fleet.node('api-1', 'api'), await fleet.node('api-2', 'api')]
    const delivery = [await fleet.node('delivery-1', 'delivery'), await fleet.node('delivery-2', 'delivery')]
    const sent = new Map<string, string>()
    let killed = false
    const load = async (index: number) => {
      for (let n = 0; n < 40; n++) {
        const node = killed && index === 0 ? apis[1]! : apis[index]!
        // A request that the killed node did not answer may have been accepted or not: its sender does not know either.
        const answered = await fleet.send(node, 5).catch((error: unknown) => {
          if (index === 1 || !killed) throw error
          return new Map<string, string>()
        })
        for (const [address, id] of answered) sent.set(address, id)
      }
    }
    const loads = Promise.all([load(0), load(1)])
    await fleet.sink.until(60)
    killed = true
    await Promise.all([apis[0]!.child.kill('SIGKILL'), delivery[0]!.child.kill('SIGKILL')])
    const onTheirWay = await fleet.leased()
    await loads
    await fleet.arrived(sent)
    await fleet.recorded()
    assert.ok(sent.size >= 200, `${sent.size} were accepted`)
    const unexplained = fleet
      .doubled()
      .filter((address) => sent.has(address) && !onTheirWay.has(sent.get(address)!))
    assert.deepEqual(unexplained, [])
  })
})
