/** The page of an email and the command line while a server keeps an attempt waiting. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emailStatus } from '../../../src/operate/next-step.ts'
import { openOperation } from '../../../src/operate/open.ts'
import type { RecipientStatus } from '../../../src/operate/status-sentence.ts'
import { relayAt } from '../../delivery/route/rig.ts'
import { ApiClient } from '../../support/api-client.ts'
import { startService } from '../../support/service.ts'
import { startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'
import { Visitor } from './visitor.ts'

test('while a server owes the answer to DATA, the page names the step, and the command line the node', async () => {
  const released = Promise.withResolvers<undefined>()
  await using sink = await startSink({
    script: ({ step }) => (step === 'data' ? released.promise : undefined),
  })
  await using service = await startService({ delivery: relayAt(sink.port, { tls: 'off' }) })
  const { company, key } = await service.tenant('acme.test')
  const viewer = await Visitor.signIn(service, [{ companyId: company.id, role: 'viewer' }])
  const id = await new ApiClient(service.url, key.token).accepted({
    from: 'a@acme.test',
    to: 'jane@yahoo.test',
    subject: 's',
    text: 't',
  })
  const shown = async () => {
    const { status, body } = await viewer.ask('GET', `/companies/${company.id}/emails/${id}`)
    assert.equal(status, 200)
    return (body as unknown as { recipients: RecipientStatus[] }).recipients[0]!
  }
  const { owed, node } = await until(async () => {
    const recipient = await shown()
    return recipient.owed?.step === 'data' && recipient
  }, 'the server to owe the answer to DATA')
  assert.equal(owed!.server, `127.0.0.1 [127.0.0.1]:${sink.port}`)
  assert.ok(owed!.until > owed!.since)
  assert.equal(node, null)

  await using op = await openOperation(service.settings)
  const [here] = await op.store.nodes()
  const { sentence } = await emailStatus(op, { id })
  assert.deepEqual(sentence.slice(0, 2), [
    'Being sent, or about to be, by the node ',
    { untrusted: here!.name },
  ])

  released.resolve(undefined)
  await until(async () => (await shown()).state === 'delivered', 'the email to be delivered')
  assert.equal((await shown()).owed, null)
})
