/** One Postroad hands its mail in at another, as at any relay: our own client, with everything that it makes use of. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parseDelivery } from '../../src/config/parse/delivery.ts'
import { Api } from '../http/requests.ts'
import { type Service, startService } from '../support/service.ts'
import { DOMAIN, message, type SubmissionRig, startRig } from './rig.ts'

describe('one Postroad as the relay of another', () => {
  let relay: SubmissionRig
  let service: Service
  let api: Api

  before(async () => {
    relay = await startRig()
    const delivery = parseDelivery(`smtp://api:${relay.key.token}@127.0.0.1:${relay.port}?tls=required`)
    service = await startService({ delivery, retrySchedule: [60_000] })
    const { key } = await service.tenant(DOMAIN)
    api = new Api(service.url, key.token)
  })
  after(async () => {
    await service.close()
    await relay[Symbol.asyncDispose]()
  })

  async function finished(id: string): Promise<string[]> {
    for (;;) {
      const { recipients } = (await service.store.readHistory(id))!
      if (recipients.every(({ state }) => state !== 'waiting' && state !== 'sending')) {
        return recipients.map(({ state }) => state)
      }
    }
  }

  test('accepts signed and 8-bit mail, and addresses in UTF-8', async () => {
    const emails = await relay.count()
    const files = [{ filename: 'a.bin', content: Buffer.alloc(400_000, 7).toString('base64') }]
    const id = await api.accepted({
      from: `Jörg <a@${DOMAIN}>`,
      to: ['jörg@bücher.example', 'b@x.test'],
      bcc: 'c@x.test',
      subject: 'Grüße',
      text: `Hällo\n.\n..\n${'ö'.repeat(500)}`,
      attachments: files,
    })
    assert.deepEqual(await finished(id), ['delivered', 'delivered', 'delivered'])
    const [attempt] = (await service.store.readHistory(id))!.attempts
    assert.match(attempt!.dialogue, /STARTTLS[\s\S]*AUTH PLAIN[\s\S]*MAIL FROM:<a@acme\.example> .*SMTPUTF8/)
    assert.ok((await relay.count()) > emails)
  })

  test('lines that begin with dots stay lines of the message, whatever ends them', async () => {
    await using first = await startRig({
      delivery: parseDelivery(`smtp://api:${relay.key.token}@127.0.0.1:${relay.port}?tls=required`),
    })
    const emails = await relay.count()
    const smuggled = `MAIL FROM:<evil@${DOMAIN}>\r\nRCPT TO:<victim@x.test>\r\nDATA\r\n${message('smuggled\r\n')}`
    const ends = ['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r.\r\n', '\r\n.\r', '\n..\r\n', '\r\r\n.\r\r\n']
    using client = await first.loggedIn()
    const replies: string[] = []
    for (const end of ends) replies.push(await client.send(message(`first${end}${smuggled}`)))
    for (const reply of replies) {
      const { id } = await first.email(reply)
      for (;;) {
        const { recipients } = (await first.service.store.readHistory(id))!
        assert.deepEqual(
          recipients.map(({ address }) => address),
          ['b@x.test'],
        )
        if (recipients[0]!.state === 'delivered') break
        assert.ok(['waiting', 'sending'].includes(recipients[0]!.state), recipients[0]!.lastMessage ?? '')
      }
    }
    assert.equal(await relay.count(), emails + ends.length)
  })

  test('the reply to its bounces names the setting of the domain of From', async () => {
    using client = await relay.loggedIn()
    const bounce = message().replace(`Ann <a@${DOMAIN}>`, 'MAILER-DAEMON@host.of.relay')
    assert.match(
      await client.send(bounce, undefined, ''),
      /^550 5\.7\.1 host\.of\.relay is not a domain that .*\. The bounces of a relay must .* myorigin \(Postfix\), qualify_domain/,
    )
    using named = await relay.loggedIn(relay.key.token, `postmaster@${DOMAIN}`)
    assert.match(
      await named.send(bounce, undefined, ''),
      /^550 5\.7\.1 From is at host\.of\.relay.*\(sendmail\)\r\n$/,
    )
    assert.match(await named.send(bounce), /^550 5\.7\.1 (?!.*myorigin)/)
    assert.match(
      await named.send(bounce.replace('host.of.relay', 'host'), undefined, ''),
      /^550 5\.6\.0 From cannot be used: .*the domain has no dot; set .*\. The bounces of a relay must .*\(sendmail\)\r\n$/,
    )
    await relay.email(await named.send(bounce.replace('host.of.relay', DOMAIN), undefined, ''))
  })

  test('and mail that it refuses bounces there, with its words', async () => {
    const { key } = await service.tenant('foreign.example')
    const id = await new Api(service.url, key.token).accepted({
      from: 'a@foreign.example',
      to: 'b@x.test',
      text: 'x',
    })
    await finished(id)
    const { recipients } = (await service.store.readHistory(id))!
    assert.match(recipients[0]!.lastMessage ?? '', /foreign\.example is not a domain that you may send from/)
  })
})
