/**
 * 02: several recipients, some of them refused.
 *
 * One email to three recipients at one destination is one SMTP transaction. The server takes the first, knows no second (550), and has no
 * time for the third (450). Each recipient has its own fate: the first is never tried again, the second is bounced for good, the third is
 * tried again alone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRelayed } from '../../support/relayed-service.ts'

test('each recipient of a partly refused transaction has its own fate', async () => {
  await using stage = await startRelayed()
  const { sink, api } = stage
  let busy = true
  sink.script = ({ step, recipient }) => {
    if (step !== 'rcpt') return undefined
    if (recipient === 'nobody@in.test') return { reply: '550 5.1.1 no such user here' }
    if (recipient === 'busy@in.test' && busy) {
      busy = false
      return { reply: '450 4.2.1 mailbox busy' }
    }
    return undefined
  }
  const id = await api.accepted({
    from: 'hello@acme.test',
    to: ['fine@in.test', 'nobody@in.test'],
    cc: 'busy@in.test',
    subject: 'three',
    text: 'three',
  })
  const [first, second] = await sink.until(2)
  assert.deepEqual(first!.recipients, ['fine@in.test'])
  assert.deepEqual(second!.recipients, ['busy@in.test'])
  assert.ok(second!.raw.equals(first!.raw), 'the second attempt is not the same message')
  const tried = sink.dialogue
    .filter((line) => line.includes('C: RCPT TO'))
    .map((line) => /<(.*)>/.exec(line)![1])
  assert.deepEqual(tried, ['fine@in.test', 'nobody@in.test', 'busy@in.test', 'busy@in.test'])

  await api.lastEvent(id, 'delivered')
  const { recipients, events } = await stage.show(id)
  const fates = recipients.map(({ address, state, attempts }) => [address, state, attempts])
  assert.deepEqual(fates, [
    ['fine@in.test', 'delivered', 1],
    ['nobody@in.test', 'bounced', 1],
    ['busy@in.test', 'delivered', 2],
  ])
  assert.match(recipients[1]!.message ?? '', /no such user here/)
  assert.equal(recipients[1]!.code, 550)
  const of = (recipient: number) =>
    events.filter((event) => event.recipient === recipient).map(({ type }) => type)
  assert.deepEqual(of(0), ['delivered'])
  assert.deepEqual(of(1), ['bounced'])
  assert.deepEqual(of(2), ['delivery_delayed', 'delivered'])
})
