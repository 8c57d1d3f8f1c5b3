/** What a transaction takes of the memory that all share: counted as it comes, refused in words, and given back. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { call } from '../http/requests.ts'
import { until } from '../support/until.ts'
import { DOMAIN, message, type SmtpClient, STARTTLS, type SubmissionRig, startRig } from './rig.ts'

const MIB = 1024 * 1024
/** Times its octets that a message is counted for. */
const COST = 4

describe('the room of a transaction', () => {
  let rig: SubmissionRig

  before(async () => {
    // 8 MB for small messages and 27 MB for large ones, of which one company has three quarters.
    rig = await startRig({
      tls: null,
      submission: [STARTTLS],
      memory: 40 * MIB,
      maxMessageSize: 4 * MIB,
      metrics: 'same',
    })
  })
  after(() => rig[Symbol.asyncDispose]())

  /** Octets that count now. */
  async function counted(): Promise<number> {
    const { text } = await call(`${rig.service.url}/metrics`)
    const found = [...text.matchAll(/^postroad_http_body_bytes\{size="(?:small|large)"\} (\d+)$/gm)]
    assert.equal(found.length, 2)
    return found.reduce((sum, [, octets]) => sum + Number(octets), 0)
  }
  const countedFrom = (octets: number) =>
    until(async () => (await counted()) >= octets, `${octets} octets to count`)
  const nothingCounted = () => until(async () => (await counted()) === 0, 'what was taken to be given back')
  const lines = (octets: number) => message(`${'x'.repeat(62)}\r\n`.repeat(octets / 64))
  async function begin(client: SmtpClient, size = ''): Promise<void> {
    await client.say(`MAIL FROM:<a@${DOMAIN}>${size}`, /^250 /)
    await client.say('RCPT TO:<b@x.test>', /^250 /)
    await client.say('DATA', /^354 /)
  }

  for (const [what, size] of [
    ['that does not say its size', ''],
    ['that says too little', ' SIZE=1000'],
    ['that says its size', ` SIZE=${3 * MIB}`],
  ] as const) {
    test(`a message ${what} counts with all octets received, and only until it is done`, async () => {
      using client = await rig.loggedIn()
      await begin(client, size)
      client.write(lines(3 * MIB))
      await countedFrom(3 * MIB * COST)
      // No room is left for another one as large.
      using other = await rig.loggedIn()
      await begin(other)
      other.write(lines(3 * MIB))
      assert.match(await other.say('.'), /^45\d 4\.\d\.\d /)
      await rig.email(await client.say('.'))
      await nothingCounted()
      // The session goes on.
      await rig.email(await other.send(lines(3 * MIB)))
      await nothingCounted()
    })
  }

  test('recipients count as they are named, and so do those of an abandoned transaction', async () => {
    using client = await rig.loggedIn()
    await client.say(`MAIL FROM:<a@${DOMAIN}>`, /^250 /)
    const addresses = Array.from({ length: 900 }, (_, n) => `${'r'.repeat(60)}${n}@${'x'.repeat(60)}.test`)
    const octets = addresses.reduce((sum, { length }) => sum + length, 0)
    for (const address of addresses) client.write(`RCPT TO:<${address}>\r\n`)
    for (const _ of addresses) assert.match(await client.reply(), /^250 /)
    assert.ok((await counted()) >= octets * COST, `${await counted()} octets count for ${octets}`)
    // Again they cost nothing.
    const before = await counted()
    for (const address of addresses) client.write(`RCPT TO:<${address}>\r\n`)
    for (const _ of addresses) assert.match(await client.reply(), /^250 /)
    assert.equal(await counted(), before)
    await client.say('RSET', /^250 /)
    assert.equal(await counted(), 0)
  })

  test('an endless message is read no further than 16 MiB beyond the largest', async () => {
    using client = await rig.loggedIn()
    await begin(client)
    const chunk = Buffer.from('endless\r\n'.repeat(MIB / 8))
    const { socket } = client
    for (let sent = 0; sent < 24 * MIB && client.received === '' && !client.closed; sent += chunk.length) {
      // A connection that the server has ended takes no more: then the reply has come.
      if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'more')])
    }
    assert.match(await client.reply(), /^552 5\.3\.4 /)
    await client.ended()
    await nothingCounted()
  })
})
