/** The status of an email that servers refuse before they look at it, as its page and the command line show it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emailStatus } from '../../../src/operate/next-step.ts'
import { openOperation } from '../../../src/operate/open.ts'
import { relayAt } from '../../delivery/route/rig.ts'
import { ApiClient } from '../../support/api-client.ts'
import { startService } from '../../support/service.ts'
import { startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'
import { Visitor } from './visitor.ts'

interface Shown {
  recipients: {
    attempts: number
    tries: number
    code: number
    waits: string
    at: string
    givesUpAt: string
  }[]
}

test('a session that is refused again and again shows its answer, its tries, the next one and the end', async () => {
  const reply = '421 4.7.0 [TSS04] Messages temporarily deferred due to unexpected volume'
  await using sink = await startSink({
    script: ({ step }) => (step === 'connect' ? { reply, close: true } : undefined),
  })
  await using service = await startService({
    delivery: relayAt(sink.port, { tls: 'off' }),
    retrySchedule: [1_000, 600_000],
  })
  const { company, key } = await service.tenant('acme.test')
  const owner = await Visitor.signIn(service, [{ companyId: company.id, role: 'owner' }])
  const id = await new ApiClient(service.url, key.token).accepted({
    from: 'a@acme.test',
    to: 'jane@yahoo.test',
    subject: 's',
    text: 't',
  })
  const recipient = async () => {
    const { status, body } = await owner.ask('GET', `/companies/${company.id}/emails/${id}`)
    assert.equal(status, 200)
    return (body as unknown as Shown).recipients[0]!
  }
  await until(async () => {
    const { tries, waits } = await recipient()
    return tries >= 2 && (waits === 'refusal' || waits === 'path')
  }, 'two refused sessions')
  const shown = await recipient()
  assert.equal(shown.attempts, 0)
  assert.equal(shown.code, 421)
  assert.ok(Date.parse(shown.givesUpAt) > Date.parse(shown.at))

  await using op = await openOperation(service.settings)
  const sentence = (await emailStatus(op, { id }))
    .map((piece) => (typeof piece === 'string' ? piece : 'at' in piece ? piece.at : piece.untrusted))
    .join('')
  assert.match(sentence, /\[TSS04\] Messages temporarily deferred due to unexpected volume/)
  assert.match(sentence, /Next try \d{4}-.*gives up \d{4}-/)
})
