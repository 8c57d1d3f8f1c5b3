/**
 * 26: a bounce comes late.
 *
 * A server accepts an email and finds out afterwards that the recipient does not exist. Its bounce goes to MAIL FROM, where the service
 * listens: `delivered` becomes `bounced`, and the address gets no more mail. A forged return path is refused. A forged report is kept and
 * changes nothing. An automatic reply is kept with the email. The service sends nothing in answer to any of them.
 */
import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import { startDns } from '../../../harness/dns.ts'
import { freePort } from '../../../harness/free-port.ts'
import { bounce, vacation } from '../../../harness/returned-mail.ts'
import { SmtpClient } from '../../submission/rig.ts'
import { startRelayed } from '../../support/relayed-service.ts'

const HOST = 'bounces.acme.test'
const FROM = 'hello@acme.test'

test('a late bounce, a forged one, and an automatic reply', async () => {
  const dns = await startDns({
    'mail.service.test/A': ['192.0.2.1'],
    [`${HOST}/MX`]: ['10 bounces.service.test'],
    [`${HOST}/TXT`]: ['v=spf1 a:mail.service.test ~all'],
  })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => dns.close())
  const port = await freePort()
  await using stage = await startRelayed({
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_HOSTNAME: 'mail.service.test',
    POSTROAD_BOUNCE_HOST: 'bounces.service.test',
    POSTROAD_BOUNCE_LISTEN: `smtp://127.0.0.1:${port}`,
  })
  const { sink, api, installation } = stage
  await assert.rejects(installation.command('domain', 'verify', 'acme.test'))
  /** Sends an email once the service uses the return path; gives its MAIL FROM. */
  const send = async (to: string) => {
    for (;;) {
      const id = await api.accepted({ from: FROM, to, subject: 'hello', text: 'hello' })
      const { sender } = await sink.next()
      await api.lastEvent(id, 'delivered')
      if (sender.endsWith(`@${HOST}`)) return { id, sender }
    }
  }
  const handIn = async (mail: string, recipient: string, like: RegExp) => {
    const client = new SmtpClient(net.connect(port, '127.0.0.1'))
    await client.reply()
    await client.say('EHLO mx.in.test', /^250/)
    await client.say('MAIL FROM:<>', /^250/)
    const answer = await client.say(`RCPT TO:<${recipient}>`)
    assert.match(answer, like)
    if (answer.startsWith('250')) {
      await client.say('DATA', /^354/)
      client.write(mail)
      await client.say('.', /^250 2\.0\.0 Kept as /)
    }
    client.socket.destroy()
  }

  const late = await send('gone@in.test')
  const report = bounce({ to: 'gone@in.test', author: FROM })
  await handIn(report, late.sender, /^250/)
  await handIn(report, late.sender, /^250/)
  await api.lastEvent(late.id, 'bounced')
  assert.equal((await stage.show(late.id)).events.filter(({ type }) => type === 'bounced').length, 1)
  await api.lastEvent(
    await api.accepted({ from: FROM, to: 'gone@in.test', subject: 'x', text: 'x' }),
    'suppressed',
  )

  const alive = await send('alive@in.test')
  await handIn(
    report,
    alive.sender.replace(/^b./, alive.sender.startsWith('ba') ? 'bb' : 'ba'),
    /^550 5\.1\.1 /,
  )
  await handIn(
    bounce({ to: 'alive@in.test', author: FROM, messageId: `<${alive.id}@acme.test>` }),
    `abuse@${HOST}`,
    /^250/,
  )
  await handIn(vacation('alive@in.test'), alive.sender, /^250/)
  await api.lastEvent(alive.id, 'delivered')
  const kept = await installation.command<{ kind: string; outcome: string }[]>(
    'bounce',
    'list',
    '--email',
    alive.id,
  )
  assert.deepEqual(
    kept.map(({ kind, outcome }) => `${kind} ${outcome}`),
    ['auto_reply kept', 'bounce unproven'],
  )

  // Whatever the service had sent in answer would have come to the sink before this.
  await send('last@in.test')
  assert.deepEqual(
    sink.messages.filter(({ sender }) => sender === ''),
    [],
  )
})
