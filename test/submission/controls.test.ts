/** Every known X-Mailgun field: it has its effect, has none, or is refused in words; none is sent on. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { message, STARTTLS, type SubmissionRig, startRig } from './rig.ts'

describe('X-Mailgun fields over SMTP', () => {
  let rig: SubmissionRig

  before(async () => {
    rig = await startRig({ tls: null, submission: [STARTTLS] })
  })
  after(() => rig[Symbol.asyncDispose]())

  const refused = [
    'Dkim: no',
    'Secondary-Dkim: acme.example/s1',
    'Delivery-Time-Optimize-Period: 24h',
    'Time-Zone-Localize: 12:00',
    'Archive-To: https://x.test/',
    'Template-Name: welcome',
  ]
  for (const field of refused) {
    test(`${field} is refused`, async () => {
      const emails = await rig.count()
      using client = await rig.loggedIn()
      const name = field.slice(0, field.indexOf(':'))
      const reply = await client.send(message('Hello\r\n', `X-Mailgun-${field}\r\n`))
      assert.ok(reply.startsWith(`550 5.6.0 X-Mailgun-${name} is not supported: `), reply)
      assert.equal(await rig.count(), emails)
    })
  }

  const wrong: [string, RegExp][] = [
    ['Drop-Message: maybe', /"maybe" is neither yes/],
    ['Deliver-By: 99999999999', /must not be farther than 30 days/],
    ['Variables: {bad', /X-Mailgun-Variables/],
    ['Sending-Ip: 192.0.2.1', /does not leave from 192\.0\.2\.1/],
    ['Sending-Ip-Pool: pool', /no pool "pool" is assigned/],
  ]
  for (const [field, like] of wrong) {
    test(`${field} cannot be read`, async () => {
      using client = await rig.loggedIn()
      const reply = await client.send(message('Hello\r\n', `X-Mailgun-${field}\r\n`))
      assert.match(reply, /^550 5\.6\.0 /)
      assert.match(reply, like)
    })
  }

  test('fields without an effect are passed over; none of the fields is sent on', async () => {
    using client = await rig.loggedIn()
    const fields = [
      'Dkim: yes',
      'Require-TLS: no',
      'Skip-Verification: yes',
      'Track: yes',
      'Track-Clicks: htmlonly',
      'Track-Opens: no',
      'Template-Variables: {"a": 1}',
      'Unheard-Of: x',
      'Drop-Message: no',
      'Tag: kept',
    ]
    const header = fields.map((field) => `X-Mailgun-${field}\r\n`).join('')
    const { id, testMode, tags } = await rig.email(await client.send(message('Hello\r\n', header)))
    assert.equal(testMode, false)
    assert.deepEqual(tags, [{ name: 'tag', value: 'kept' }])
    for (;;) {
      const [copy] = await rig.service.store.readCaptured(id)
      if (copy === undefined) continue
      assert.doesNotMatch(Buffer.from(copy.raw).toString(), /x-mailgun/i)
      break
    }
  })

  test('a message with a later delivery time waits', async () => {
    using client = await rig.loggedIn()
    const at = Math.floor(Date.now() / 1000) + 3_600
    const { id } = await rig.email(await client.send(message('Hello\r\n', `X-Mailgun-Deliver-By: ${at}\r\n`)))
    const { recipients } = (await rig.service.store.readHistory(id))!
    assert.equal(recipients[0]!.state, 'waiting')
    assert.equal((await rig.service.store.readEmail(id))!.scheduledAt, at * 1_000)
  })
})
