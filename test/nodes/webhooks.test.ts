/** Webhooks of several nodes: each is sent by one of them, they share, and another node takes over from a dead one. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { execute, withoutPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { type Received, Receiver } from '../webhooks/receiver.ts'
import { Fleet } from './fleet.ts'

const idOf = ({ headers }: Received) => headers['webhook-id'] as string

/** The node that sends each webhook, in the order of their creation. */
async function tellers({ database }: Fleet): Promise<(string | null)[]> {
  const sql = `SELECT n.name FROM webhooks w LEFT JOIN nodes n ON n.token = w.lease ORDER BY w.num`
  return (await execute<{ name: string | null }>(database, sql)).map(({ name }) => name)
}

describe('the webhooks of an installation', { skip: withoutPostgres() }, () => {
  test('are sent by one node each, shared with a node that joins, and taken over from a killed node', async () => {
    await using fleet = await Fleet.start({ settings: { POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true' } })
    await using one = await Receiver.start()
    await using other = await Receiver.start()
    const receivers = [one, other]
    for (const { url } of receivers) {
      const { companyId } = fleet.tenant
      const events = ['--event', 'email.delivered']
      await fleet.installation.command('webhook', 'add', '--company', companyId, '--url', url, ...events)
    }
    const told = async (count: number) => {
      for (const receiver of receivers) {
        await receiver.until((received) => new Set(received.map(idOf)).size >= count)
      }
    }

    const first = await fleet.node('first', 'api,delivery')
    await until(async () => `${await tellers(fleet)}` === 'first,first', 'the first node to tell both')
    await fleet.send(first, 20)
    await told(20)
    const second = await fleet.node('second', 'delivery')
    await until(async () => `${await tellers(fleet)}` === 'first,second', 'the second node to have one')
    await fleet.send(first, 20)
    await told(40)
    // No node died: nothing was sent twice, not even while a webhook was handed over.
    for (const { received } of receivers) assert.equal(received.length, 40)

    await second.child.kill('SIGKILL')
    await fleet.send(first, 20)
    await until(async () => `${await tellers(fleet)}` === 'first,first', 'the first node to take over')
    await told(60)
    for (const { received } of receivers) assert.equal(new Set(received.map(idOf)).size, 60)
  })

  test('get every event under the same id when a node dies or stops for a while in the middle of a page', async () => {
    await using fleet = await Fleet.start({ settings: { POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true' } })
    await using receiver = await Receiver.start()
    const { companyId } = fleet.tenant
    const events = ['--event', 'email.delivered']
    await fleet.installation.command(
      'webhook',
      'add',
      '--company',
      companyId,
      '--url',
      receiver.url,
      ...events,
    )
    const idsOfEmails = () => {
      const told = receiver.received.map((each): [string, string] => {
        return [(JSON.parse(each.body) as { data: { email_id: string } }).data.email_id, idOf(each)]
      })
      return Map.groupBy(told, ([email]) => email)
    }
    const first = await fleet.node('first', 'api,delivery')
    // Some are under way when it dies, the rest of the page waits in its memory.
    receiver.answer = () => null
    await fleet.send(first, 60)
    await receiver.until(({ length }) => length >= 16)
    await first.child.kill('SIGKILL')
    receiver.answer = () => 200
    const second = await fleet.node('second', 'api,delivery')
    await receiver.until(() => idsOfEmails().size >= 60)

    // This one is not dead, but is taken for it; when it goes on it still takes the webhook for its own.
    const gate = Promise.withResolvers<number>()
    receiver.answer = () => gate.promise
    const { length: before } = receiver.received
    await fleet.send(second, 60)
    await receiver.until(({ length }) => length >= before + 16)
    process.kill(second.child.pid, 'SIGSTOP')
    receiver.answer = () => 200
    const third = await fleet.node('third', 'api,delivery')
    // The arrivals do not show it: some events that the second node sent may arrive only now.
    await until(async () => `${await tellers(fleet)}` === 'third', 'the third node to take over')
    await receiver.until(() => idsOfEmails().size >= 120)
    gate.resolve(500)
    process.kill(second.child.pid, 'SIGCONT')
    await fleet.send(third, 1)
    await receiver.until(() => idsOfEmails().size >= 121)
    for (const told of idsOfEmails().values()) assert.equal(new Set(told.map(([, id]) => id)).size, 1)
    const retries = await execute<{ number: number }>(fleet.database, 'SELECT number FROM webhook_retries')
    assert.deepEqual(retries, [], 'what the one that was stopped had to say counts no more')
  })
})
