import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { withoutPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { Fleet, Gate, type Node } from './fleet.ts'

/** Sessions that are held when their node ends. */
const SESSIONS = 3

/** Longer than any of these tests: no node is given up for its silence. */
const LONG = { POSTROAD_NODE_TIMEOUT: '300s' }

interface Killed extends AsyncDisposable {
  fleet: Fleet
  /** Has handed nothing over; the first three of them wait in its sessions. */
  first: Node
  sent: Map<string, string>
  /** What is begun from now on is answered. */
  open(): void
}

/** A node that has mail under way; `named`: its name is set. */
async function busy(named = true): Promise<Killed> {
  const gate = new Gate()
  gate.close()
  const fleet = await Fleet.start({
    settings: {
      ...LONG,
      POSTROAD_CONCURRENCY: '4',
      POSTROAD_SITE_CONCURRENCY: String(SESSIONS),
    },
    script: async ({ step }) => {
      // The answer to DATA: the message text and the final dot are missing then.
      if (step === 'data') await gate.pass()
      return undefined
    },
  })
  const first = await fleet.node('one', 'api,delivery', {}, named)
  const sent = await fleet.send(first, 9)
  await until(() => gate.waiting === SESSIONS, 'three transactions')
  return {
    fleet,
    first,
    sent,
    open: () => gate.open(),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

async function names(fleet: Fleet): Promise<string[]> {
  return (await fleet.nodes()).map(({ name }) => name)
}

describe('a node that is started again under its name', { skip: withoutPostgres() }, () => {
  test('sends at once the mail that was under way when it was killed, each message once', async () => {
    await using killed = await busy()
    const { fleet, first, sent } = killed
    await first.child.kill('SIGKILL')
    killed.open()
    const again = await fleet.node('one', 'api,delivery')
    await fleet.arrived(sent)
    await fleet.recorded()
    assert.deepEqual(fleet.doubled(), [])
    assert.deepEqual(await names(fleet), ['one'])
    assert.equal(await again.metric('postroad_nodes_given_up_total'), 1)
    // A node that is shut down leaves nothing to take up.
    assert.equal(await again.child.kill('SIGTERM'), 0)
    const third = await fleet.node('one', 'api,delivery')
    assert.equal(await third.metric('postroad_nodes_given_up_total'), 0)
    assert.deepEqual(await names(fleet), ['one'])
  })

  test('has the name of its host where none is set, and takes up the work of the node that was killed under it', async () => {
    await using killed = await busy(false)
    const { fleet, first, sent } = killed
    const host = hostname()
    const second = await fleet.node('two', 'api', {}, false)
    assert.deepEqual(await names(fleet), [host, `${host}-2`])
    await first.child.kill('SIGKILL')
    killed.open()
    // Not the third name: that of the killed node is free.
    await fleet.node('one', 'api,delivery', {}, false)
    await fleet.arrived(sent)
    await fleet.recorded()
    assert.deepEqual(fleet.doubled(), [])
    assert.deepEqual((await names(fleet)).toSorted(), [host, `${host}-2`])
    assert.equal(await second.child.kill('SIGTERM'), 0)
    // The name of the node that was stopped is free as well, and has nothing to take up.
    const last = await fleet.node('three', 'api', {}, false)
    assert.equal(await last.metric('postroad_nodes_given_up_total'), 0)
    assert.deepEqual((await names(fleet)).toSorted(), [host, `${host}-2`])
  })

  test('while the one before it is only stopped leaves that its work, says so, and takes it when it ends', async () => {
    await using killed = await busy()
    const { fleet, first, sent } = killed
    first.child.signal('SIGSTOP')
    killed.open()
    const second = await fleet.node('one', 'api,delivery')
    const later = await fleet.send(second, 3)
    await fleet.arrived(later)
    assert.match(
      second.child.log.join('\n'),
      /Another process on this machine runs under the name of this node/,
    )
    assert.deepEqual(await names(fleet), ['one', 'one'])
    assert.equal([...fleet.copies().keys()].filter((address) => sent.has(address)).length, 0)

    await first.child.kill('SIGKILL')
    await fleet.arrived(sent)
    await fleet.recorded()
    assert.deepEqual(fleet.doubled(), [])
    assert.deepEqual(await names(fleet), ['one'])
    // The name is the second one's by now: its successor finds it.
    await second.child.kill('SIGKILL')
    await fleet.node('one', 'api,delivery')
    assert.deepEqual(await names(fleet), ['one'])
  })

  test('on another machine, or where no file can be kept, waits until the one before it was silent for its timeout', async () => {
    await using killed = await busy()
    const { fleet, first } = killed
    await first.child.kill('SIGKILL')
    const { directory } = fleet.installation
    const elsewhere = await fleet.node('one', 'api', {
      POSTROAD_NODE_DIRECTORY: join(directory, 'elsewhere'),
    })
    const nowhere = await fleet.node('one', 'api', { POSTROAD_NODE_DIRECTORY: '/dev/null/nodes' })
    assert.doesNotMatch(elsewhere.child.log.join('\n'), /node/)
    assert.match(nowhere.child.log.join('\n'), /This node cannot write the file for its name/)
    assert.deepEqual(await names(fleet), ['one', 'one', 'one'])
    assert.equal((await fleet.leased()).size > 0, true)
  })
})
