/** `accepted` is one for each recipient, with the way the mail came in. */
import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import { OPERATOR } from '../../../src/operate/authority.ts'
import { listEvents } from '../../../src/operate/events.ts'
import { listen } from '../../../src/operate/listen.ts'
import { operationOn } from '../../../src/operate/open.ts'
import { base64, DOMAIN, SmtpClient, STARTTLS } from '../../submission/rig.ts'
import { startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { Api, basic, call } from '../requests.ts'

interface Item {
  event: string
  recipient: string
  method?: string
  message: { headers: { to: string; subject: string } }
}

test('mail of SMTP and of HTTP is accepted for each recipient, by its method', async () => {
  await using service = await startService({ submission: [STARTTLS] })
  const { company, key } = await service.tenant(DOMAIN)
  const client = new SmtpClient(
    net.connect(Number(new URL(service.app.submission.urls[0]!).port), '127.0.0.1'),
  )
  assert.match(await client.reply(), /^220 /)
  await client.say('EHLO client.test', /^250-/)
  await client.say(`AUTH PLAIN ${base64(`\0resend\0${key.token}`)}`, /^235 2\.7\.0 /)
  await client.say(`MAIL FROM:<app@${DOMAIN}>`, /^250 /)
  await client.say('RCPT TO:<Ann@Smtp.Example>', /^250 /)
  await client.say('RCPT TO:<blind@smtp.example>', /^250 /)
  await client.say('DATA', /^354 /)
  const head = `From: app@${DOMAIN}\r\nTo: Ann Other <Ann@Smtp.Example>\r\nSubject: by SMTP`
  await client.say(`${head}\r\n\r\nHello\r\n.`, /^250 /)
  const api = new Api(service.url, key.token)
  const values = { 'cy@http.example': { n: 'Cy' }, 'di@http.example': { n: 'Di' } }
  const sent = await api.form(DOMAIN, [
    ...[['from', `app@${DOMAIN}`] as [string, string], ['text', 'x'] as [string, string]],
    ...Object.keys(values).map((to): [string, string] => ['to', to]),
    ['subject', 'Hi %recipient.n%'],
    ['recipient-variables', JSON.stringify(values)],
  ])
  assert.equal(sent.status, 200, sent.text)
  const items = await until(async () => {
    const url = `${service.url}/v3/${DOMAIN}/events?event=accepted&ascending=yes`
    const { body } = await call(url, { headers: { authorization: basic(key.token) } })
    return (body.items as Item[]).length === 4 && (body.items as Item[])
  }, 'four that were accepted')
  const told = items.map(({ recipient, method, message }) => [recipient, method, message.headers.subject])
  assert.deepEqual(told, [
    ['Ann@Smtp.Example', 'SMTP', 'by SMTP'],
    ['blind@smtp.example', 'SMTP', 'by SMTP'],
    ['cy@http.example', 'HTTP', 'Hi Cy'],
    ['di@http.example', 'HTTP', 'Hi Di'],
  ])

  const { store, settings } = service
  const op = operationOn(settings, store, OPERATOR, await store.accounts())
  const heard = async (dialect: 'json' | 'form', word: string) => {
    const stop = new AbortController()
    const outages = { onOutage: assert.fail, onReturn: () => {} }
    const asked = {
      dialect,
      events: [word],
      since: 0,
      company: company.id,
      signal: stop.signal,
      ...outages,
    }
    const bodies: Record<string, never>[] = []
    for await (const bunch of await listen(op, asked)) {
      bodies.push(...bunch.map(({ body }) => body as Record<string, never>))
      if (bodies.length >= (dialect === 'form' ? 4 : 3)) break
    }
    stop.abort()
    return bodies as Record<string, unknown>[]
  }
  const accepted = (await heard('form', 'accepted')) as unknown as Item[]
  assert.deepEqual(
    accepted.map(({ recipient, method }) => [recipient, method]),
    told.map((each) => each.slice(0, 2)),
  )
  // The other dialect has one event for mail that all recipients get alike, and one for each recipient of a batch.
  const emails = (await heard('json', 'email.sent')) as { data: { to: string[]; subject: string } }[]
  assert.deepEqual(
    emails.map(({ data }) => [data.to, data.subject]),
    [
      [['Ann Other <Ann@Smtp.Example>'], 'by SMTP'],
      [['cy@http.example'], 'Hi Cy'],
      [['di@http.example'], 'Hi Di'],
    ],
  )
  const events = await until(async () => {
    const log = await listEvents(op, { company: company.id, types: ['delivered'], limit: 100 })
    return log.length === 4 && log
  }, 'four deliveries')
  assert.ok(events.some(({ address }) => address === 'Ann@Smtp.Example'))
})
