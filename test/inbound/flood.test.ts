/**
 * Five hundred reports at once, over SMTP and HTTP, beside mail that is sent: none is lost, none counts twice, and none
 * is left waiting for its turn. How many begin while sending is busy is no part of it: `pace.test.ts` asserts that with a
 * clock of its own, and `npm run bench:returned` and docs/performance.md have the figures, ten thousand in a minute too.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { bounce } from '../../harness/returned-mail.ts'
import { InboundRig } from './rig.ts'

const RECIPIENTS = 500
/** Every tenth report comes over HTTP, too. */
const TWICE = 10
const SESSIONS = 12
const CLIENTS = 4
const SENT_MEANWHILE = 20

test('a flood of reports beside sending: none is lost, none counts twice, and all mail leaves', async () => {
  await using rig = await InboundRig.start({ metrics: 'same' })
  const addresses = Array.from({ length: RECIPIENTS }, (_, position) => `r${position}@rcpt.test`)
  const { id, path } = await rig.send(addresses)
  const reports = addresses.map((to, position) => bounce({ to, addressee: path(position) }))

  let next = 0
  const overSmtp = async () => {
    const client = await rig.connect()
    while (next < RECIPIENTS) {
      const position = next++
      assert.match(await client.send(reports[position]!, [path(position)], ''), /^250 2\.0\.0 Kept as /)
    }
    client.socket.destroy()
  }
  let again = 0
  const overHttp = async () => {
    const headers = { authorization: `Bearer ${rig.key.token}`, 'content-type': 'message/rfc822' }
    while (again < RECIPIENTS) {
      const position = again
      again += TWICE
      for (;;) {
        const answer = await fetch(`${rig.service.url}/inbound/mail`, {
          method: 'POST',
          headers,
          body: reports[position]!,
        })
        const { outcome } = (await answer.json()) as { outcome?: string }
        if (answer.status === 200) {
          assert.match(String(outcome), /^(?:recorded|repeated)$/)
          break
        }
        // Sending goes first: the service says when to come again.
        assert.equal(answer.status, 429)
        await pause(Number(answer.headers.get('retry-after')) * 1_000)
      }
    }
  }
  const sending = async () => {
    for (let n = 0; n < SENT_MEANWHILE; n++) await rig.send([`living${n}@rcpt.test`])
  }
  await Promise.all([
    ...Array.from({ length: SESSIONS }, overSmtp),
    ...Array.from({ length: CLIENTS }, overHttp),
    sending(),
  ])

  const metrics = await (await fetch(`${rig.service.url}/metrics`)).text()
  assert.match(metrics, /^postroad_inbound_mails_waiting 0$/m)
  assert.deepEqual(new Set(await rig.states(id)), new Set(['bounced']))
  const events = await rig.events(id)
  assert.deepEqual(events.toSorted(), addresses.map((_, position) => `${position}:bounced`).toSorted())
  const kept = await rig.service.store.inboundMails({
    companyId: rig.company.id,
    emailId: id,
    limit: RECIPIENTS + 1,
  })
  assert.equal(kept.length, RECIPIENTS)
  assert.equal(
    kept.reduce((sum, { times }) => sum + times, 0),
    RECIPIENTS + RECIPIENTS / TWICE,
  )
})
