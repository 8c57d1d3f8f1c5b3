/**
 * 29: a sender that wants its mail delivered soon or not at all.
 *
 * Two messages go to a server that puts mail off, and the next attempt is an hour away. One of them is to arrive within half an hour
 * (`o:deliver-within`): it fails at once, with the reply of the server, and its sender can take another way. The other one waits.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRelayed } from '../../support/relayed-service.ts'
import { until } from '../../support/until.ts'

test('mail whose next attempt would be too late for its sender fails at once, and other mail waits', async () => {
  await using stage = await startRelayed({ POSTROAD_RETRY_SCHEDULE: '1h,1h' })
  const { sink, api, tenant } = stage
  sink.script = ({ step }) => (step === 'rcpt' ? { reply: '451 4.3.0 come back later' } : undefined)
  const send = async (to: string, ...more: [string, string][]) => {
    const { status, text } = await api.sendForm(tenant.domain, [
      ['from', `a@${tenant.domain}`],
      ['to', to],
      ['subject', 'Your code'],
      ['text', '1234'],
      ...more,
    ])
    assert.equal(status, 200, text)
  }
  await send('soon@in.test', ['o:deliver-within', '30m'])
  await send('patient@in.test')
  const shown = await until(async () => {
    const emails = await stage.installation.command<{ id: string }[]>('email', 'list')
    const both = await Promise.all(emails.map(({ id }) => stage.show(id)))
    return both.length === 2 && both.every(({ recipients }) => recipients[0]!.attempts === 1) && both
  }, 'an attempt of each')
  const of = (address: string) => shown.find(({ recipients }) => recipients[0]!.address === address)!
  const [soon] = of('soon@in.test').recipients
  assert.equal(soon!.state, 'failed')
  assert.match(soon!.message ?? '', /^Gave up after 1 attempts\. .*come back later/)
  assert.equal(of('soon@in.test').events.at(-1)!.type, 'failed')
  const [patient] = of('patient@in.test').recipients
  assert.equal(patient!.state, 'waiting')
  // No address is suppressed for it: the next message is tried.
  const before = sink.dialogue.filter((line) => line.includes('C: RCPT TO:<soon@in.test>')).length
  sink.script = undefined
  await send('soon@in.test', ['o:deliver-within', '30m'])
  assert.deepEqual((await sink.next()).recipients, ['soon@in.test'])
  assert.equal(before, 1)
})
