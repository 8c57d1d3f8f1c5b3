/** The turns that a message takes in the pace of returned mail. */
import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { Addressees } from '../../src/inbound/addressees.ts'
import { HandedInMail } from '../../src/inbound/handed-in-mail.ts'
import { InboundMetrics } from '../../src/inbound/inbound-metrics.ts'
import { ReturnedMailPace } from '../../src/inbound/pace.ts'
import { mailReceiver } from '../../src/inbound/receive-mail.ts'
import { RETURN_PATHS, ReturnPathKey } from '../../src/mail/return-path/return-path.ts'
import { returnedMailPolicy } from '../../src/submission/returned-mail.ts'
import { createSmtpServer } from '../../src/submission/server.ts'
import { Workers } from '../../src/workers/workers.ts'
import { serveApis } from '../http/serve.ts'
import { SmtpClient, STARTTLS } from '../submission/rig.ts'
import { until } from '../support/until.ts'
import { InboundRig } from './rig.ts'

test('a message takes a turn for each of its recipients that counts', async (t) => {
  await using rig = await InboundRig.start({ bounceListeners: [] })
  const { service } = rig
  const workers = new Workers({ memory: 64, onDeath: assert.fail })
  t.after(() => workers.close())
  const returnPathKey = new ReturnPathKey(service.app.seal.derive(RETURN_PATHS))
  const receiveMail = mailReceiver({
    ...{
      store: service.store,
      fullMailbox: null,
      domainReports: null,
      workers,
      now: Date.now,
      returnPathKey,
    },
    keys: () => assert.fail('no key is looked up'),
  })
  let now = 0
  let passing = false
  const pace = new ReturnedMailPace({
    now() {
      if (passing) now += 100
      return now
    },
    isSending: () => false,
    utilization: () => ({ active: 0, idle: now }),
    onWaiting: () => {},
  })
  const { core } = await serveApis(service, workers, [], new HandedInMail(receiveMail, pace))
  const addressees = new Addressees(returnPathKey, core.deps.accounts.directory, service.settings.hostname)
  const policy = returnedMailPolicy({
    addressees,
    receiveMail,
    pace,
    maxMessageSize: service.settings.maxMessageSize,
    metrics: new InboundMetrics(new Registry()),
  })
  const server = await createSmtpServer(core, policy, [STARTTLS], service.settings)
  t.after(() => server.close(0))
  const { urls } = await server.listen()

  const { path } = await rig.send(['a@rcpt.test', 'b@rcpt.test', 'c@rcpt.test'])
  const client = new SmtpClient(net.connect(Number(new URL(urls[0]!).port), '127.0.0.1'))
  t.after(() => client.socket.destroy())
  await client.reply()
  await client.say('EHLO mx.rcpt.test', /^250-/)
  const recipients = [path(0), path(1), path(2), path(2).toUpperCase()]
  const answer = client.send('Subject: hello\r\n\r\n', recipients, '')
  // One begins at once, and one more has room.
  await until(() => pace.waiting('127.0.0.1') === 1, 'the last turn of three')
  passing = true
  assert.match(await answer, /^250 /)
})
