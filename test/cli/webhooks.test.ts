import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Receiver } from '../webhooks/receiver.ts'
import { newWorkplaceOnEngine, type Serving, serve, type Workplace } from './postroad.ts'

interface Listed {
  id: string
  url: string
  dialect: string
  domain: string | null
  events: string[]
  status: string
  failing_since: string | null
  disabled_reason: string | null
  secret?: string
}
interface Attempt {
  id: string
  event: number
  type: string
  attempt: number
  status: number | null
  succeeded: boolean
  message_id: string
}

describe('the commands about webhooks', () => {
  let place: Workplace
  let service: Serving
  let receiver: Receiver
  let token = ''
  before(async () => {
    receiver = await Receiver.start()
    place = await newWorkplaceOnEngine({
      POSTROAD_LOG_LEVEL: 'warn',
      POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    })
    service = await serve(place, ['--json'], /\}\}\n/)
    token = JSON.parse(service.stdout()).firstStart.token
    await place.json('company', 'create', 'Other')
  })
  after(async () => {
    place.remove()
    await receiver[Symbol.asyncDispose]()
  })

  const add = (...more: string[]) =>
    place.json<Listed & { secret: string }>('webhook', 'add', '--url', receiver.url, ...more)
  const remove = (id: string) => place.json('webhook', 'remove', id)
  const send = async () => {
    const response = await fetch(`${service.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: 'a@acme.test', to: 'b@x.test', subject: 's', text: 't' }),
    })
    assert.equal(response.status, 200, await response.clone().text())
  }
  const attempts = async (id: string, count: number): Promise<Attempt[]> => {
    for (;;) {
      const found = await place.json<Attempt[]>('webhook', 'attempts', id)
      if (found.length >= count) return found
      await pause(50)
    }
  }

  test('add a webhook whose secret is shown once, list and show it, and remove it', async () => {
    const added = await add('--company', 'Acme', '--event', 'email.bounced', '--event', 'email.delivered')
    assert.match(added.secret, /^whsec_/)
    const { secret, ...shown } = added
    assert.deepEqual([shown.status, shown.dialect, shown.domain], ['enabled', 'json', null])
    assert.deepEqual([...shown.events].sort(), ['email.bounced', 'email.delivered'])
    const listed = await place.json<Listed[]>('webhook', 'list', '--company', 'Acme')
    assert.deepEqual(
      listed.map(({ id, url }) => [id, url]),
      [[added.id, receiver.url]],
    )
    assert.deepEqual(await place.json<Listed[]>('webhook', 'list', '--company', 'Other'), [])
    for (const args of [['list'], ['show', added.id], ['list', '--json'], ['show', added.id, '--json']]) {
      const { code, stdout } = await place.run('webhook', ...args)
      assert.equal(code, 0)
      assert.ok(stdout.includes(receiver.url))
      assert.ok(!stdout.includes(secret.slice(6)), args.join(' '))
    }
    const { stdout } = await place.run('webhook', 'rotate', added.id)
    assert.match(stdout, /whsec_.*\n\nSave the secret now: it cannot be shown again\./s)
    assert.ok(!stdout.includes(secret))
    await remove(added.id)
    const gone = await place.run('webhook', 'show', added.id)
    assert.equal(gone.code, 1)
    assert.match(gone.stderr, /there is no webhook with the id/)
  })

  test('of the form dialect are signed with the key of the company, which is not rotated here', async () => {
    const one = await add('--company', 'Acme', '--dialect', 'form', '--event', 'permanent_fail')
    const two = await add('--company', 'Acme', '--dialect', 'form')
    assert.match(one.secret, /^[0-9a-f]{32}$/)
    assert.equal(two.secret, one.secret)
    const other = await add('--company', 'Other', '--dialect', 'form')
    assert.notEqual(other.secret, one.secret)
    const { code, stderr } = await place.run('webhook', 'rotate', one.id)
    assert.equal(code, 2)
    assert.match(stderr, /signing key/)
    for (const { id } of [one, two, other]) await remove(id)
  })

  test('show attempts, and replay one event, or every event since a time', async () => {
    const since = new Date().toISOString()
    const { id, secret } = await add('--company', 'Acme', '--event', 'email.delivered')
    const before = receiver.received.length
    await send()
    const [first] = await attempts(id, 1)
    assert.deepEqual(
      [first!.type, first!.attempt, first!.status, first!.succeeded],
      ['delivered', 1, 200, true],
    )
    const text = (await place.run('webhook', 'attempts', id, '--succeeded')).stdout
    assert.match(text, new RegExp(`^${first!.message_id} .* delivered +\\S+@\\S+ +1 +200 `, 'm'))
    assert.match((await place.run('webhook', 'attempts', id, '--failed')).stdout, /No attempts are recorded/)
    const ofIt = await place.json<Attempt[]>('webhook', 'attempts', id, '--event', first!.message_id)
    assert.deepEqual(
      ofIt.map(({ message_id }) => message_id),
      [first!.message_id],
    )

    const told = () => receiver.received.slice(before).map(({ headers }) => headers['webhook-id'])
    for (const [index, args] of [
      [first!.message_id],
      [id, '--event', String(first!.event)],
      [id, '--event', first!.message_id],
      ['--since', since, '--company', 'Acme'],
      [id, '--since', since],
    ].entries()) {
      const { code, stderr } = await place.run('webhook', 'replay', ...args)
      assert.equal(code, 0, stderr)
      await receiver.until(() => told().length >= index + 2)
    }
    assert.deepEqual([...new Set(told())], [first!.message_id])
    const { headers, body } = receiver.received.at(-1)!
    new StandardWebhook(secret).verify(body, headers as Record<string, string>)

    const deaf = await add('--company', 'Acme')
    await place.json('webhook', 'disable', deaf.id)
    for (const [args, message] of [
      [[], /the ID of a message, or --since/],
      [['--company', 'Acme'], /--company can only be used with --since/],
      [[id], /no webhook has a message with the id/],
      [[deaf.id, '--since', since], /disabled; enable it first/],
      [[id, '--since', 'yesterday'], /time/],
      [[id, '--event', 'msg_x'], /this webhook does not receive event msg_x/],
    ] as const) {
      const { code, stderr } = await place.run('webhook', 'replay', ...args)
      assert.notEqual(code, 0)
      assert.match(stderr, message)
    }
    await remove(id)
    await remove(deaf.id)
  })

  test('show the last event sent to a webhook, and the result of the last attempt', async () => {
    const { id } = await add('--company', 'Acme', '--event', 'email.delivered')
    const shown = async () => (await place.run('webhook', 'show', id)).stdout
    assert.match(await shown(), /^Sent up to: +event \d+, .*\nLast attempt: +-$/m)
    receiver.answer = () => 503
    await send()
    await attempts(id, 1)
    receiver.answer = () => 200
    assert.match(await shown(), /^Last attempt: +20\d\d-\S+ \S+Z, attempt 1 for an event delivered: 503$/m)
    await remove(id)
  })

  test('disable and enable: the webhook does not get the events in between', async () => {
    const { id } = await add('--company', 'Acme', '--event', 'email.delivered')
    const disabled = await place.json<Listed>('webhook', 'disable', id)
    assert.deepEqual([disabled.status, disabled.disabled_reason], ['disabled', 'it was disabled'])
    const before = receiver.received.length
    await send()
    const enabled = await place.json<Listed>('webhook', 'enable', id)
    assert.deepEqual([enabled.status, enabled.disabled_reason], ['enabled', null])
    await send()
    await receiver.until(({ length }) => length > before)
    assert.equal((await attempts(id, 1)).length, 1)
    const events = await place.run('events', '--type', 'webhook.disabled', '--type', 'webhook.enabled')
    const { host } = new URL(receiver.url)
    assert.match(
      events.stdout,
      new RegExp(`webhook\\.disabled .* it was disabled; webhook ${id} to ${host}$`, 'm'),
    )
    assert.match(
      events.stdout,
      new RegExp(`webhook\\.enabled .* it was enabled; webhook ${id} to ${host}$`, 'm'),
    )
    await remove(id)
  })

  test('send a sample of any event, and show the answer', async () => {
    const { id, secret } = await add('--company', 'Acme')
    const { code, stdout } = await place.run('webhook', 'test', id, '--event', 'email.bounced')
    assert.equal(code, 0)
    assert.match(stdout, /200 after \d+ ms/)
    const { headers, body } = receiver.received.at(-1)!
    const told = new StandardWebhook(secret).verify(body, headers as Record<string, string>)
    assert.equal((told as { type: string }).type, 'email.bounced')
    receiver.answer = () => 500
    const refused = await place.run('webhook', 'test', id, '--event', 'email.bounced', '--json')
    receiver.answer = () => 200
    assert.equal(JSON.parse(refused.stdout).status, 500)
    const unknown = await place.run('webhook', 'test', id, '--event', 'email.nothing')
    assert.equal(unknown.code, 2)
    assert.match(unknown.stderr, /no event "email\.nothing"; the events are .*email\.bounced/)
    await remove(id)
  })

  test('refuse invalid values: a URL of another scheme, a domain of another company, an unknown event', async () => {
    for (const [args, message] of [
      [['--company', 'Acme', '--url', 'ftp://x.test/'], /neither an https:\/\/ nor an http:\/\/ URL/],
      [['--company', 'Nobody', '--url', 'https://x.test/'], /Nobody/],
      [['--company', 'Other', '--url', 'https://x.test/', '--domain', 'acme.test'], /not a domain of Other/],
      [['--company', 'Acme', '--url', 'https://x.test/', '--event', 'delivered'], /no event "delivered"/],
    ] as const) {
      const { code, stderr } = await place.run('webhook', 'add', ...args)
      assert.notEqual(code, 0)
      assert.match(stderr, message)
    }
    assert.deepEqual(await place.json<Listed[]>('webhook', 'list'), [])
    assert.match((await place.run('webhook', 'list')).stdout, /There are no webhooks yet/)
  })
})
