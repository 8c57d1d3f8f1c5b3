/**
 * 01: the first message.
 *
 * A newcomer starts the service on an empty directory, with no settings at all beside the port. It makes up a company, a domain and a key,
 * and prints them. With that key a message is accepted through either endpoint, composed, signed and kept (delivery is `capture`), and can
 * be read back and looked at, octet by octet.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keysOfRecords, type PrintedRecord, verifyDkim } from '../../../harness/verify-dkim.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'

test('the first message on a fresh installation', async () => {
  await using installation = new Installation({})
  const service = await installation.serve()
  const made = service.firstStart
  assert.ok(made, 'nothing was made up at the first start')
  assert.equal(made.domain, 'acme.test')
  const api = new ApiClient(service.url, made.token)

  const sent = await api.send({
    from: 'Acme <hello@acme.test>',
    to: 'you@example.com',
    subject: 'Hello',
    html: '<p>It <b>works</b>.</p>',
  })
  assert.equal(sent.status, 200)
  assert.deepEqual(Object.keys(sent.body), ['id'])
  assert.equal(sent.headers.get('content-type'), 'application/json; charset=utf-8')
  const id = String(sent.body.id)

  await api.lastEvent(id, 'delivered')
  const { body } = await api.read(id)
  assert.equal(body.object, 'email')
  assert.equal(body.from, 'Acme <hello@acme.test>')
  assert.deepEqual(body.to, ['you@example.com'])
  assert.deepEqual([body.cc, body.bcc, body.reply_to], [[], [], null])
  assert.equal(body.subject, 'Hello')
  assert.equal(body.html, '<p>It <b>works</b>.</p>')
  assert.match(String(body.text), /It works\./)

  const raw = await installation.raw(id)
  assert.match(raw.toString(), /^Subject: Hello\r$/m)
  const shown = await installation.command<{ dns_records: PrintedRecord[] }>('domain', 'show', 'acme.test')
  const dkim = await verifyDkim(raw, keysOfRecords(shown.dns_records))
  assert.ok(dkim.pass, JSON.stringify(dkim.signatures))

  const form = await api.sendForm('acme.test', [
    ['from', 'Acme <hello@acme.test>'],
    ['to', 'you@example.com'],
    ['subject', 'Hello'],
    ['text', 'It works.'],
  ])
  assert.equal(form.status, 200)
  assert.deepEqual(Object.keys(form.body).sort(), ['id', 'message'])
  assert.equal(form.body.message, 'Queued. Thank you.')

  // A second start makes nothing up: the key of the first one still works.
  assert.equal(await service.kill('SIGTERM'), 0)
  const second = await installation.serve()
  assert.equal(second.firstStart, null)
  const again = await new ApiClient(second.url, made.token).read(id)
  assert.equal(again.body.last_event, 'delivered')
})
