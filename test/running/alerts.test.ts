/** A running service tells of problems by mail through itself, and over HTTP. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { loadSettings } from '../../src/config/load.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

test('a problem is told by mail and to a URL, each once', async (t) => {
  const posted: Record<string, unknown>[] = []
  const server = createServer(async (request, response) => {
    posted.push(JSON.parse(await text(request)))
    // The mail has been sent before; it must not be sent again.
    response.writeHead(posted.length === 1 ? 204 : 500).end()
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
  }
  await service.store.raiseAlert(problem, Date.now())
  await until(() => posted.length === 1, 'the alert at the URL')
  const { text: sentence, id, state, found, advice } = posted[0]!
  assert.deepEqual([id, state, found, advice], ['hostname', 'problem', problem.found, problem.advice])
  assert.match(
    String(sentence),
    /^Problem on .+: Host name and reverse DNS: mail\.example\.com has no address/,
  )
  await until(async () => (await service.store.alerts())[0]?.toldAt != null, 'the record of the telling')

  const emails = await service.store.listEmails({ companyId: company.id, limit: 10 })
  assert.deepEqual(emails.map(({ to }) => to.join()).sort(), ['ada@example.test', 'bob@example.test'])
  const [email] = emails
  assert.match(email!.subject, /^\[.+\] Problem: Host name and reverse DNS$/)
  const content = await service.store.readContent(email!.id, 10_000)
  assert.match(content!.text!.beginning, /mail\.example\.com has no address in DNS\.\nChoose another name\./)
  assert.deepEqual(content!.headers, [['Auto-Submitted', 'auto-generated']])
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
