/** Webhooks of several nodes: each is told by one of them, they share, and what a dead one had another takes over. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { execute, withoutPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { type Received, Receiver } from '../webhooks/receiver.ts'
import { Fleet } from './fleet.ts'

const idOf = ({ headers }: Received) => headers['webhook-id'] as string

describe('the webhooks of an installation', { skip: withoutPostgres() }, () => {
  test('are told by one node each, shared with one that joins, and taken over from one that is killed', async () => {
    await using fleet = await Fleet.start({ settings: { POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true' } })
    await using one = await Receiver.start()
    await using other = await Receiver.start()
    const receivers = [one, other]
    for (const { url } of receivers) {
      const { companyId } = fleet.tenant
      const events = ['--event', 'email.delivered']
      await fleet.installation.command('webhook', 'add', '--company', companyId, '--url', url, ...events)
    }
    /** Of each webhook, in the order they were made. */
    const tellers = async () => {
      const sql = `SELECT n.name FROM webhooks w LEFT JOIN nodes n ON n.token = w.lease ORDER BY w.num`
      return (await execute<{ name: string | null }>(fleet.database, sql)).map(({ name }) => name)
    }
    const told = async (count: number) => {
      for (const receiver of receivers) {
        await receiver.until((received) => new Set(received.map(idOf)).size >= count)
      }
    }

    const first = await fleet.node('first', 'api,delivery')
    await until(async () => `${await tellers()}` === 'first,first', 'the first node to tell both')
    await fleet.send(first, 20)
    await told(20)
    const second = await fleet.node('second', 'delivery')
    await until(async () => `${await tellers()}` === 'first,second', 'the second node to have one')
    await fleet.send(first, 20)
    await told(40)
    // Nobody died: nothing was told twice, also while one was handed over.
    for (const { received } of receivers) assert.equal(received.length, 40)

    await second.child.kill('SIGKILL')
    await fleet.send(first, 20)
    await until(async () => `${await tellers()}` === 'first,first', 'the first node to take over')
    await told(60)
    for (const { received } of receivers) assert.equal(new Set(received.map(idOf)).size, 60)
  })
})
