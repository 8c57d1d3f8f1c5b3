import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { freePort } from '../../harness/free-port.ts'
import { ApiClient } from '../support/api-client.ts'
import { type Received, Receiver } from '../webhooks/receiver.ts'
import { Lasting } from './lasting.ts'
import { newWorkplaceOnEngine, type Serving, serve, type Workplace } from './postroad.ts'

interface MailgunVerifier {
  validateWebhook(timestamp: string, token: string, signature: string): boolean
}
const mailgun = createRequire(import.meta.url)('mailgun-js') as (options: object) => MailgunVerifier

interface Start {
  forwarding_to: string
  secret: string
}
interface Try {
  status: number | null
  attempt: number
  message_id: string
  succeeded: boolean
  event: { number: number; type: string; recipient: string | null }
}
interface Summary {
  taken: number
  given_up: number
  waiting: number
  waiting_since: string | null
}

const typeOf = ({ body }: Received) => JSON.parse(body).type as string
const headersOf = ({ headers }: Received) => headers as Record<string, string>

describe('the command listen', () => {
  let place: Workplace
  let service: Serving
  let api: ApiClient
  before(async () => {
    place = await newWorkplaceOnEngine({ POSTROAD_LOG_LEVEL: 'warn' })
    service = await serve(place, ['--json'], /\}\}\n/)
    api = new ApiClient(service.url, JSON.parse(service.stdout()).firstStart.token)
  })
  after(() => place.remove())

  const listen = (...args: string[]) => new Lasting(place, 'listen', ...args)
  const send = async (to: string) => {
    const email = { from: 'a@acme.test', to: `${to}@simulator.test`, subject: 's', text: 'x' }
    return await api.accepted(email)
  }
  /** Selects the events of one email: other tests of this file cause events too. */
  const about = (id: string) => (received: Received) => JSON.parse(received.body).data.email_id === id

  test('forwards events as webhooks of the JSON dialect while the service runs', async () => {
    await using receiver = await Receiver.start()
    const listener = listen(
      '--forward',
      receiver.url.replace('127.0.0.1', 'localhost'),
      '--json',
      '--since',
      '1h',
    )
    const [start] = await listener.until<Start>(({ length }) => length > 0)
    const id = await send('delivered')
    const mine = await receiver.until((all) => all.filter(about(id)).length >= 2)
    const told = mine.filter(about(id))
    assert.deepEqual(told.map(typeOf), ['email.sent', 'email.delivered'])
    for (const each of told) {
      assert.equal(each.headers['svix-id'], each.headers['webhook-id'])
      assert.match(each.headers['user-agent']!, /^Postroad\//)
      new StandardWebhook(start!.secret).verify(each.body, headersOf(each))
    }
    const tries = await listener.until<Try>((lines) => lines.some(({ event }) => event?.type === 'delivered'))
    const last = tries.at(-1)!
    assert.deepEqual([last.status, last.attempt, last.succeeded], [200, 1, true])
    assert.equal(last.event.recipient, 'delivered@simulator.test')
    assert.equal(last.message_id, told[1]!.headers['webhook-id'])
    const { code, stderr, stdout } = await listener.interrupt()
    assert.deepEqual([code, stderr], [0, ''])
    const summary = JSON.parse(stdout.trim().split('\n').at(-1)!) as Summary
    assert.deepEqual([summary.given_up, summary.waiting, summary.waiting_since], [0, 0, null])
    assert.equal(summary.taken, receiver.received.length)

    // The secret and the ids are the same after a restart.
    await using other = await Receiver.start()
    const again = listen('--forward', other.url, '--json', '--since', '1h', '--event', 'email.delivered')
    const [restarted] = await again.until<Start>(({ length }) => length > 0)
    assert.equal(restarted!.secret, start!.secret)
    const [repeated] = (await other.until((all) => all.some(about(id)))).filter(about(id))
    assert.equal(repeated!.headers['webhook-id'], told[1]!.headers['webhook-id'])
    assert.ok(other.received.every((each) => typeOf(each) === 'email.delivered'))
    await again.interrupt()
  })

  test('forwards as webhooks of the form dialect, signed with the key of the company', async () => {
    await using receiver = await Receiver.start()
    const args = ['--dialect', 'form', '--event', 'permanent_fail', '--company', 'acme', '--since', '1h']
    const listener = listen('--forward', receiver.url, ...args)
    const { stdout } = await listener.said((ran) => ran.stdout.includes('Ctrl-C'))
    const [, key] =
      /^Forwarding events of Acme to .*, signed with the signing key ([0-9a-f]{32})$/m.exec(stdout) ?? []
    await send('bounced')
    const [received] = await receiver.until(({ length }) => length >= 1)
    const { signature, 'event-data': told } = JSON.parse(received!.body)
    assert.deepEqual([told.event, told.recipient], ['failed', 'bounced@simulator.test'])
    const verifier = mailgun({ apiKey: key, domain: 'acme.test' })
    assert.ok(verifier.validateWebhook(signature.timestamp, signature.token, signature.signature))
    const shown = await listener.said((ran) => /permanent_fail/.test(ran.stdout))
    assert.match(
      shown.stdout,
      /^20\d\d-\S+ \S+Z +200 +\d+ ms +permanent_fail +bounced@simulator\.test +msg_/m,
    )
    const ended = await listener.interrupt()
    assert.equal(ended.code, 0)
    assert.match(ended.stdout, /^1 event forwarded\.$/m)
  })

  test('forwards a refused event again, and says so', async () => {
    await using receiver = await Receiver.start()
    let refusals = 2
    receiver.answer = () => (refusals-- > 0 ? { status: 500, body: 'the handler\nthrew' } : 204)
    const listener = listen('--forward', receiver.url, '--event', 'email.sent')
    await listener.said((ran) => ran.stdout.includes('Ctrl-C'))
    await send('delivered')
    await receiver.until(({ length }) => length >= 3)
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    assert.equal(new Set(ids).size, 1)
    const { stdout } = await listener.said((ran) => / 204 /.test(ran.stdout))
    assert.match(stdout, / 500 .* the handler threw; again in 1 s$/m)
    assert.match(stdout, / 500 .*; again in 2 s$/m)

    receiver.answer = () => 503
    await send('delivered')
    await listener.said((ran) => / 503 /.test(ran.stdout))
    const { code, stdout: all } = await listener.interrupt()
    assert.equal(code, 0)
    const summary =
      /^1 event forwarded, 1 still waiting\.\nTo start with the events still waiting: --since (\S+)$/m
    const [, since] = summary.exec(all) ?? []
    assert.ok(since !== undefined, all)

    await using later = await Receiver.start()
    const resumed = listen('--forward', later.url, '--event', 'email.sent', '--since', since)
    await later.until(({ length }) => length > 0)
    await resumed.interrupt()
    assert.equal(later.received[0]!.headers['webhook-id'], receiver.received.at(-1)!.headers['webhook-id'])
  })

  test('forwards every waiting event again, even if another one is accepted first', async () => {
    await using receiver = await Receiver.start()
    const refused = new Set<unknown>()
    receiver.answer = ({ headers }) => {
      const isFirst = !refused.has(headers['webhook-id'])
      refused.add(headers['webhook-id'])
      return isFirst ? 500 : 204
    }
    const listener = listen('--forward', receiver.url, '--event', 'email.sent')
    await listener.said((ran) => ran.stdout.includes('Ctrl-C'))
    // The second event is due again only after the first.
    for (const times of [1, 2]) {
      await send('delivered')
      await listener.said(({ stdout }) => (stdout.match(/ 500 /g)?.length ?? 0) >= times)
    }
    await listener.said(({ stdout }) => (stdout.match(/ 204 /g)?.length ?? 0) >= 2)
    assert.match((await listener.interrupt()).stdout, /^2 events forwarded\.$/m)
  })

  test('waits until an application listens at the URL, and then forwards the waiting events', async () => {
    const port = await freePort()
    const listener = listen('--forward', `http://localhost:${port}/hook`, '--event', 'email.sent')
    await listener.said((ran) => ran.stdout.includes('Ctrl-C'))
    const ids = [await send('delivered'), await send('delivered')]
    const isOne = (received: Received) => ids.some((id) => about(id)(received))
    const { stderr } = await listener.said((ran) => ran.stderr.endsWith('\n'))
    assert.match(
      stderr,
      new RegExp(`^postroad: localhost:${port} refused the connection\\. Events wait until .*\n$`),
    )
    await using receiver = await Receiver.start(port)
    await receiver.until((all) => ids.every((id) => all.some(about(id))))
    assert.ok(receiver.received.every(isOne))
    const ran = await listener.said(({ stdout }) => (stdout.match(/ 200 /g)?.length ?? 0) >= 2)
    assert.match(ran.stderr, /postroad: connected; sending the waiting events/)
    assert.doesNotMatch(ran.stdout, /refused/)
    assert.match((await listener.interrupt()).stdout, /^[2-9] events forwarded\.$/m)
  })

  test('prints events if it forwards none', async () => {
    const shown = listen('--event', 'email.delivered')
    await shown.said((ran) => ran.stdout.includes('Ctrl-C'))
    const told = listen('--json', '--dialect', 'form', '--event', 'delivered', '--since', '1h')
    const id = await send('delivered')
    const ofIt = ({ message }: { message: { headers: Record<string, string> } }) =>
      message.headers['message-id']!.startsWith(id)
    const lines = await told.until<Parameters<typeof ofIt>[0] & { event: string }>((all) => all.some(ofIt))
    assert.ok(lines.every(({ event }) => event === 'delivered'))
    const { stdout } = await shown.said((ran) => ran.stdout.includes(id))
    assert.match(stdout, new RegExp(`Z  email\\.delivered +${id}  delivered@simulator\\.test`))
    for (const each of [shown, told]) {
      const { code, stderr } = await each.interrupt()
      assert.deepEqual([code, stderr], [0, ''])
    }
  })

  test('explains invalid options', async () => {
    await place.json('company', 'create', 'Other')
    for (const [args, code, words] of [
      [['--forward', 'localhost:3000'], 2, /neither an https:\/\/ nor an http:\/\/ URL/],
      [['--dialect', 'xml'], 2, /json, form/],
      [['--since', 'tomorrow'], 2, /like 2027-01-01T12:00:00Z, or how long ago: 10m/],
      [['--since', '2126-01-01'], 2, /in the future/],
      [['--event', 'permanent_fail'], 2, /no event "permanent_fail"; the events are email\.scheduled/],
      [['--company', 'Nobody'], 1, /there is no company with the name or id "Nobody"/],
      [['--forward', 'http://localhost:3000'], 2, /there are several companies.*company list/],
    ] as [string[], number, RegExp][]) {
      const ran = await place.run('listen', ...args)
      assert.equal(ran.code, code, ran.stderr)
      assert.match(ran.stderr, words)
    }
  })
})
