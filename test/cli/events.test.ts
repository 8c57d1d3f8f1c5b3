import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { onPostgres } from '../support/engine.ts'
import { Lasting, linesOf } from './lasting.ts'
import { newWorkplaceOnEngine, type Serving, serve, type Workplace } from './postroad.ts'

interface Event {
  number: number
  type: string
  at: string
  email_id: string
  company_id: string
  recipient: string | null
  position: number | null
  detail: { message?: string; next_attempt_at?: string; enhanced_code?: string }
}

const followed = (place: Workplace, ...args: string[]) => new Lasting(place, 'events', '--follow', ...args)

describe('the command events', () => {
  let place: Workplace
  let nodes: Serving[]
  let token = ''
  before(async () => {
    place = await newWorkplaceOnEngine({ POSTROAD_LOG_LEVEL: 'warn' })
    const first = await serve(place, ['--json'], /\}\}\n/)
    token = JSON.parse(first.stdout()).firstStart.token
    // A SQLite database has one service.
    nodes = onPostgres ? [first, await serve(place)] : [first]
  })
  after(() => place.remove())

  const send = async (to: string, node = 0) => {
    const response = await fetch(`${nodes[node % nodes.length]!.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: 'a@acme.test', subject: 's', text: 'x', to }),
    })
    const answer = (await response.json()) as { id: string }
    assert.equal(response.status, 200, JSON.stringify(answer))
    return answer.id
  }
  const all = async (...args: string[]) => {
    return linesOf<Event>(await place.run('events', '--json', '--limit', '10000', ...args))
  }

  test('says once that a domain was added', async () => {
    await place.run('domain', 'add', 'added.test', '--company', 'Acme')
    const { stdout } = await place.run('events', '--type', 'domain.created')
    assert.match(stdout, /added\.test was added$/m)
  })

  test('follows events of every node, through a restart of the service and of the command', async () => {
    const follower = followed(place, '--json')
    const ids = [await send('delivered@simulator.test'), await send('bounced@simulator.test', 1)]
    const done = (count: number) => (events: Event[]) =>
      events.filter(({ type }) => type === 'delivered' || type === 'bounced').length === count
    await follower.until(done(2))

    for (const node of nodes) await node.stop()
    nodes = [await serve(place), ...(onPostgres ? [await serve(place)] : [])]
    ids.push(await send('delivered@simulator.test', 1))
    const seen = await follower.until(done(3))
    const ended = await follower.interrupt()
    assert.deepEqual([ended.code, ended.stderr], [0, ''])

    ids.push(await send('bounced@simulator.test'))
    const again = followed(place, '--json', '--after', String(seen.at(-1)!.number))
    ids.push(await send('delivered@simulator.test', 1))
    seen.push(...(await again.until(done(2))))
    await again.interrupt()

    const types = (id: string) => seen.filter(({ email_id }) => email_id === id).map(({ type }) => type)
    for (const [n, id] of ids.entries()) {
      assert.deepEqual(types(id), ['sent', n % 2 === 0 ? 'delivered' : 'bounced'].slice(0, 2), `email ${n}`)
    }
    assert.deepEqual(
      seen.map(({ number }) => number),
      seen.map(({ number }) => number).toSorted((a, b) => a - b),
    )
    assert.deepEqual(await all(), seen)
  })

  test('lists the last events, of a company, of types, or after a number', async () => {
    const id = await send('delayed@simulator.test')
    const follower = followed(place, '--json', '--type', 'delivery_delayed')
    const [delayed] = await follower.until<Event>(({ length }) => length === 1)
    await follower.interrupt()
    const { number, at, email_id, company_id, recipient, position, detail } = delayed!
    assert.deepEqual([email_id, recipient, position], [id, 'delayed@simulator.test', 0])
    assert.equal(detail.enhanced_code, '4.7.1')
    assert.ok(Date.parse(at) < Date.parse(detail.next_attempt_at!))

    const events = await all()
    assert.deepEqual(events.at(-1), delayed)
    assert.deepEqual(await all('--limit', '2'), events.slice(-2))
    assert.deepEqual(await all('--after', String(events[1]!.number), '--limit', '2'), events.slice(2, 4))
    assert.deepEqual(await all('--after', String(number)), [])
    const kinds = events.filter(({ type }) => type === 'sent' || type === 'bounced')
    assert.deepEqual(await all('--type', 'sent', '--type', 'bounced'), kinds)
    assert.deepEqual(await all('--company', company_id), events)
    await place.json('company', 'create', 'Other')
    assert.deepEqual(await all('--company', 'Other'), [])

    const text = (await place.run('events', '--limit', '1')).stdout
    assert.match(
      text,
      new RegExp(
        `^ *${number}  20\\d\\d-.*Z  delivery_delayed  Acme +${id}  delayed@simulator.test  .*451 4.7.1`,
      ),
    )
    assert.match((await place.run('events', '--company', 'Other')).stdout, /^No event matches\.$/m)
  })

  test('explains which of its options is wrong', async () => {
    for (const [args, code, words] of [
      [['--type', 'eaten'], 2, /eaten.*sent.*unsubscribed/s],
      [['--after', 'x'], 2, /number of an event/],
      [['--limit', '0'], 2, /from 1 to 10000/],
      [['--after', '900000'], 2, /no event 900000 yet: the latest event is \d+\. .*restored from a backup/],
      [['--follow', '--after', '900000'], 2, /no event 900000 yet/],
      [['--company', 'Nobody'], 1, /there is no company with the name or id "Nobody"/],
    ] as [string[], number, RegExp][]) {
      const ran = await place.run('events', ...args)
      assert.equal(ran.code, code, ran.stderr)
      assert.match(ran.stderr, words)
    }
  })
})
