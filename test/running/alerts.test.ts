/** A running service reports problems by mail through itself, and over HTTP. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { Resend, type WebhookEvent } from 'resend'
import { loadSettings } from '../../src/config/load.ts'
import { AlertWatch } from '../../src/operate/alerts/alert-watch.ts'
import { Announcer } from '../../src/operate/alerts/announcer.ts'
import { SERVICE } from '../../src/operate/authority.ts'
import { operationOn } from '../../src/operate/open.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { Receiver } from '../webhooks/receiver.ts'

test('a problem is sent by mail and to a URL, each once', async (t) => {
  const posted: Record<string, unknown>[] = []
  const server = createServer(async (request, response) => {
    posted.push(JSON.parse(await text(request)))
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  await using service = await startService({
    systemFrom: 'postroad@ops.test',
    alertTo: ['ada@example.test', 'bob@example.test'],
    alertWebhook: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    allowPrivateNetworks: true,
  })
  const company = await service.company()
  await service.domain(company.id, 'ops.test')
  const problem = {
    id: 'hostname',
    companyId: null,
    title: 'Host name and reverse DNS',
    found: 'mail.example.com has no address in DNS.',
    advice: 'Choose another name.',
    memberAdvice: null,
  }
  await service.store.raiseAlert(problem, Date.now())
  await until(() => posted.length === 1, 'the alert at the URL')
  const { text: sentence, id, state, found, advice, code } = posted[0]!
  assert.deepEqual([id, state, found, advice], ['hostname', 'problem', problem.found, problem.advice])
  assert.equal(code, 'bin/postroad doctor')
  assert.match(
    String(sentence),
    /^Problem on .+: Host name and reverse DNS: mail\.example\.com has no address/,
  )
  await until(async () => {
    const known = await service.store.announcements()
    return known.length === 3 && known.every(({ knows }) => knows === 'beginning')
  }, 'the record of the announcements')

  const emails = await service.store.listEmails({ companyId: company.id, limit: 10 })
  assert.deepEqual(emails.map(({ to }) => to.join()).sort(), ['ada@example.test', 'bob@example.test'])
  const [email] = emails
  assert.match(email!.subject, /^\[.+\] Problem: Host name and reverse DNS$/)
  const content = await service.store.readContent(email!.id, 10_000)
  assert.match(
    content!.text!.beginning,
    /mail\.example\.com has no address in DNS\.\nChoose another name\.\n {2}bin\/postroad doctor\n\n/,
  )
  assert.deepEqual(content!.headers, [['Auto-Submitted', 'auto-generated']])
})

test('an alert that cannot be mailed is posted all the same', async (t) => {
  const receiver = await Receiver.start()
  t.after(() => receiver[Symbol.asyncDispose]())
  await using service = await startService({
    systemFrom: 'postroad@unknown.test',
    alertTo: ['ada@example.test'],
    alertWebhook: receiver.url,
    allowPrivateNetworks: true,
  })
  const { store } = service
  const problem = { title: 'T', found: 'F.', advice: null, memberAdvice: null }
  await store.raiseAlert({ id: 'hostname', companyId: null, ...problem }, Date.now())
  const known = await until(async () => {
    const all = await store.announcements()
    return all.some(({ knows }) => knows === 'beginning') && all
  }, 'the record of the announcement')
  assert.deepEqual(
    known.map(({ channel, knows }) => [channel.split(':')[0], knows]),
    [
      ['mail', 'nothing'],
      ['webhook', 'beginning'],
    ],
  )
  assert.equal((await receiver.until(({ length }) => length > 0)).length, 1)
})

test('alerts by mail need a sender', () => {
  assert.throws(
    () => loadSettings({ POSTROAD_ALERT_TO: 'ops@example.com' }, { envFile: null }),
    /POSTROAD_SYSTEM_FROM/,
  )
  const both = { POSTROAD_ALERT_TO: 'ops@example.com, b@example.com', POSTROAD_SYSTEM_FROM: 'a@example.com' }
  assert.deepEqual(loadSettings(both, { envFile: null }).alertTo, ['ops@example.com', 'b@example.com'])
  assert.throws(
    () => loadSettings({ POSTROAD_ALERT_WEBHOOK: 'ops' }, { envFile: null }),
    /POSTROAD_ALERT_WEBHOOK/,
  )
})

test('a webhook of a company gets a signed event when a problem begins, and one when it is over', async (t) => {
  const receiver = await Receiver.start()
  t.after(() => receiver[Symbol.asyncDispose]())
  await using service = await startService({ allowPrivateNetworks: true })
  const { store, settings } = service
  const [company, other] = [await service.company(), await service.company()]
  const { token } = await service.key(company.id, { scopes: ['reading', 'management'] })
  const resend = new Resend(token, { baseUrl: service.url })
  const add = async (endpoint: string, events: string[]) => {
    const { data, error } = await resend.webhooks.create({ endpoint, events: events as WebhookEvent[] })
    assert.equal(error, null)
    return data!
  }
  const told = await add(receiver.url, ['problem.started', 'problem.ended'])
  const failing = await add('https://hooks.acme.test/', ['email.bounced'])

  const accounts = await store.accounts()
  const onFault = (error: unknown) => assert.fail(error as Error)
  const watch = new AlertWatch({
    operation: () => operationOn(settings, store, SERVICE, accounts),
    token: () => null,
    delivers: true,
    hasChannel: true,
    patienceMs: 0,
    announcer: new Announcer({ store: () => store, now: Date.now, channels: async () => () => [], onFault }),
    onChange() {},
    onFault,
  })
  const since = Date.now() - 2 * 3_600_000
  await store.updateWebhook(failing.id, { failingSince: since })
  await watch.look({ far: false })
  await watch.look({ far: false })
  await receiver.until(({ length }) => length === 1)
  await store.updateWebhook(failing.id, { failingSince: null })
  await watch.look({ far: false })
  await watch.look({ far: false })
  const received = await receiver.until(({ length }) => length === 2)

  const problem = {
    id: `webhook:${failing.id}`,
    title: `Webhook of ${company.name}`,
    found: 'hooks.acme.test has not accepted an event for an hour.',
    advice: 'Its attempts show what its server answers. Correct the server, then replay what failed.',
  }
  const sentence = `${problem.title}: ${problem.found}`
  const [begun, over] = received.map(({ body }) => JSON.parse(body))
  assert.deepEqual([begun.type, begun.text], ['problem.started', `Problem: ${sentence}`])
  assert.deepEqual(begun.data, { ...problem, since: begun.created_at, ended_at: null })
  assert.deepEqual([over.type, over.text], ['problem.ended', `Over: ${sentence}`])
  assert.deepEqual(over.data, { ...problem, since: begun.created_at, ended_at: over.created_at })
  for (const { headers, body } of received) {
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) =>
      String(headers[`webhook-${name}`]),
    ) as [string, string, string]
    resend.webhooks.verify({
      payload: body,
      headers: { id, timestamp, signature },
      webhookSecret: told.signing_secret,
    })
  }
  const { events } = await store.entriesAfter(0, { companyId: other.id }, 10)
  assert.deepEqual(events, [])
})
