/** Refused SMTP commands in the log of API requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../support/until.ts'
import { DOMAIN, startRig } from './rig.ts'

const FOREIGN = 'From: other@foreign.test\r\nTo: b@x.test\r\nSubject: Hi\r\n\r\nHello\r\n'

test('a refusal is logged with the sender and the first recipients of the transaction', async () => {
  await using rig = await startRig()
  const client = await rig.loggedIn()
  const { companyId } = rig
  const logged = async (endpoint: string) => {
    const { request } = await until(
      async () => (await rig.service.store.apiRequests({ companyId, endpoint, limit: 1 })).at(0),
      `a refused ${endpoint}`,
    )
    return JSON.parse(request!)
  }

  await client.say(`MAIL FROM:<a@${DOMAIN}>`, /^250 /)
  await client.say('RCPT TO:<b@x.test>', /^250 /)
  await client.say('RCPT TO:<no address>', /^5/)
  const sender = `a@${DOMAIN}`
  assert.deepEqual(await logged('RCPT'), {
    command: 'RCPT TO:<no address>',
    sender,
    recipient: ['b@x.test'],
  })
  await client.say('RSET', /^250 /)

  const many = Array.from({ length: 14 }, (_, nth) => `r${nth}@x.test`)
  assert.match(await client.send(FOREIGN, many), /^5/)
  assert.deepEqual(await logged('DATA'), { sender, recipient: [...many.slice(0, 10), '… 4 more'] })
})
