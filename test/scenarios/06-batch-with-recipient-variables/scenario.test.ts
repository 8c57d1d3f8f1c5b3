/**
 * 06: a batch with recipient variables (form endpoint).
 *
 * One request names several recipients and a value for each. Every recipient gets a message of its own, with only its own address in To
 * and its own values in subject, text, HTML and headers; each is signed; none shows another's address or values.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { verifyDkim } from '../../../harness/verify-dkim.ts'
import { startRelayed } from '../../support/relayed-service.ts'

const PEOPLE = { 'ann@in.test': { name: 'Ann', code: 'A-1' }, 'ben@in.test': { name: 'Bén', code: 'B-2' } }

test('each recipient of a batch gets a message of its own', async () => {
  await using stage = await startRelayed()
  const { sink, api, tenant } = stage
  const { status, body } = await api.sendForm('acme.test', [
    ['from', 'Acme <hello@acme.test>'],
    ['to', 'ann@in.test'],
    ['to', 'ben@in.test'],
    ['subject', 'Hello %recipient.name%'],
    ['text', 'Your code: %recipient.code%'],
    ['html', '<p>Your code: <b>%recipient.code%</b></p>'],
    ['h:X-Code', '%recipient.code%'],
    ['recipient-variables', JSON.stringify(PEOPLE)],
  ])
  assert.equal(status, 200)
  assert.equal(body.message, 'Queued. Thank you.')
  await sink.until(2)
  for (const [address, { name, code }] of Object.entries(PEOPLE)) {
    const { raw, recipients } = await sink.messageFor(address)
    assert.deepEqual(recipients, [address])
    const parsed = await PostalMime.parse(raw)
    assert.deepEqual(
      parsed.to?.map((to) => to.address),
      [address],
    )
    assert.equal(parsed.subject, `Hello ${name}`)
    assert.equal(parsed.text?.trim(), `Your code: ${code}`)
    assert.match(parsed.html ?? '', new RegExp(`<b>${code}</b>`))
    assert.equal(parsed.headers.find(({ key }) => key === 'x-code')?.value, code)
    assert.ok((await verifyDkim(raw, tenant.keys)).pass)
    const other = Object.keys(PEOPLE).find((key) => key !== address)!
    assert.ok(!raw.includes(other), `${address} sees ${other}`)
  }
  assert.equal(sink.messages.length, 2)
})
