/**
 * 18: a newsletter as Ghost sends it.
 *
 * The site is set up with mg.acme.test and writes as somebody at acme.test. One request a thousand readers: each gets a message of its own
 * with its own values, its own Message-ID and its own link to unsubscribe, signed by the domain of its From, and not before its time.
 * Polled as Ghost polls, each of them is told as delivered once, under the Message-ID of its copy.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { verifyDkim } from '../../../harness/verify-dkim.ts'
import { startRelayed } from '../../support/relayed-service.ts'

const READERS = 1_000

test('each reader of a newsletter gets a copy of its own', async () => {
  await using stage = await startRelayed()
  const { sink, api, tenant, installation } = stage
  const mg = await installation.command<{ speaks_for: string[] }>(
    ...['domain', 'add', 'mg.acme.test', '--company', tenant.companyId, '--from', 'acme.test'],
  )
  assert.deepEqual(mg.speaks_for, ['acme.test'])
  await installation.command('domain', 'activate', 'mg.acme.test')

  const readers = Array.from({ length: READERS }, (_, n) => `member${n}@in.test`)
  const variables = Object.fromEntries(
    readers.map((address, n) => [
      address,
      {
        uuid: `u-${n}`,
        name: `Reader ${n}`,
        first_name: 'Reader',
        message_id: `20261122.${n}.ghost@mg.acme.test`,
        unsubscribe_url: `https://blog.acme.test/unsubscribe/?uuid=u-${n}&key=k${n}`,
        list_unsubscribe: `https://blog.acme.test/unsubscribe/?uuid=u-${n}&key=k${n}`,
      },
    ]),
  )
  const begin = Date.now()
  const due = new Date(Math.ceil(Date.now() / 1_000 + 1) * 1_000)
  const { status, body } = await api.sendForm('mg.acme.test', [
    ...readers.map((address): [string, string] => ['to', address]),
    ['from', '"Acme Blog" <noreply@acme.test>'],
    ['h:Reply-To', 'noreply@acme.test'],
    ['subject', 'An issue for %recipient.name%'],
    ['html', '<p>Hello %recipient.first_name%</p><a href="%recipient.unsubscribe_url%">Unsubscribe</a>'],
    ['text', 'Hello %recipient.first_name%\n%recipient.unsubscribe_url%'],
    ['recipient-variables', JSON.stringify(variables)],
    ['h:Sender', '"Acme Blog" <noreply@acme.test>'],
    ['h:Auto-Submitted', 'auto-generated'],
    ['h:List-Unsubscribe', '<%recipient.list_unsubscribe%>, <%tag_unsubscribe_email%>'],
    ['h:List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
    ['h:Message-Id', '<%recipient.message_id%>'],
    ['v:email-id', '6741f0'],
    ['o:tag', 'bulk-email'],
    ['o:tag', 'ghost-email'],
    ['o:tracking-opens', 'yes'],
    ['o:deliverytime', due.toUTCString()],
  ])
  assert.deepEqual([status, body], [200, { id: '<%recipient.message_id%>', message: 'Queued. Thank you.' }])

  await sink.until(READERS)
  assert.deepEqual(sink.messages.flatMap(({ recipients }) => recipients).toSorted(), readers.toSorted())
  assert.ok(sink.messages.every(({ at }) => at >= due.getTime()))
  for (const n of [0, 1, 499, 999]) {
    const { raw } = await sink.messageFor(readers[n]!)
    const mail = await PostalMime.parse(raw)
    const header = (name: string) => mail.headers.filter(({ key }) => key === name).map(({ value }) => value)
    assert.deepEqual(
      mail.to?.map(({ address }) => address),
      [readers[n]],
    )
    assert.equal(mail.subject, `An issue for Reader ${n}`)
    assert.equal(mail.messageId, `<20261122.${n}.ghost@mg.acme.test>`)
    assert.match(mail.text ?? '', new RegExp(`uuid=u-${n}&key=k${n}`))
    assert.deepEqual(header('list-unsubscribe'), [
      `<https://blog.acme.test/unsubscribe/?uuid=u-${n}&key=k${n}>`,
    ])
    assert.deepEqual(header('list-unsubscribe-post'), ['List-Unsubscribe=One-Click'])
    assert.doesNotMatch(raw.toString('latin1'), /%(?:recipient|tag_unsubscribe)/)
    const { pass, signatures } = await verifyDkim(raw, tenant.keys)
    assert.ok(pass, JSON.stringify(signatures))
    assert.deepEqual(
      signatures.map(({ domain }) => domain),
      ['acme.test'],
    )
  }

  const query = new URLSearchParams({
    limit: '300',
    event: 'delivered OR failed OR unsubscribed OR complained',
    tags: 'bulk-email',
    begin: String(begin / 1_000),
    end: String(Date.now() / 1_000 + 600),
    ascending: 'yes',
  })
  const seen = new Map<string, GhostEvent>()
  let next = `${api.url}/v3/mg.acme.test/events`
  // What is recorded later comes behind the last page.
  for (let polls = 0; seen.size < READERS && polls < 1_000; polls++) {
    const { items, paging } = await poll(`${next}?${query}`)
    for (const event of items) seen.set(event.recipient, event)
    next = paging.next
  }
  assert.deepEqual([...seen.keys()].toSorted(), readers.toSorted())
  for (const [address, event] of seen) {
    const n = Number(/\d+/.exec(address)![0])
    assert.equal(event.event, 'delivered')
    assert.equal(event.message.headers['message-id'], `20261122.${n}.ghost@mg.acme.test`)
    assert.equal(event['user-variables']['email-id'], '6741f0')
    assert.equal(event['delivery-status'].code, 250)
    assert.ok(event.timestamp * 1_000 >= due.getTime())
  }
  assert.equal(new Set([...seen.values()].map(({ id }) => id)).size, READERS)

  async function poll(url: string): Promise<{ items: GhostEvent[]; paging: { next: string } }> {
    const authorization = `Basic ${Buffer.from(`api:${tenant.token}`).toString('base64')}`
    const answer = await fetch(url, { headers: { authorization } })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return JSON.parse(text)
  }
})

/** What Ghost reads of one. */
interface GhostEvent {
  id: string
  event: string
  recipient: string
  timestamp: number
  'user-variables': Record<string, string>
  message: { headers: Record<string, string> }
  'delivery-status': { code: number; message: string; description: string; 'enhanced-code': string }
}
