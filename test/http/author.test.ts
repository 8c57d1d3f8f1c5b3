/** The author of a message, as mail programs show it. No sender can pose as another author, whichever way the message arrives. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../support/service.ts'
import { Api, assertFormError, assertJsonError, newestEmail, type Reply } from './requests.ts'

describe('the author of a message', () => {
  let service: Service
  let companyId: string
  /** May send from ours.test and second.test; idle.test is ours and not active. */
  let api: Api
  /** May send from ours.test only. */
  let restricted: Api

  before(async () => {
    service = await startService()
    const { company, domain, key } = await service.tenant('ours.test')
    companyId = company.id
    await service.domain(companyId, 'second.test')
    await service.domain(companyId, 'idle.test', 'inactive')
    await service.tenant('victim.test')
    api = new Api(service.url, key.token)
    restricted = new Api(service.url, (await service.key(companyId, { domainId: domain.id })).token)
  })
  after(() => service.close())

  const ready = (...header: string[]) =>
    api.multipart(
      'ours.test',
      [
        { name: 'to', value: 'b@x.test' },
        {
          name: 'message',
          value: `${[...header, 'Subject: s'].join('\r\n')}\r\n\r\nhello\r\n`,
          filename: 'message.mime',
        },
      ],
      'messages.mime',
    )
  /** Header of the ready message that was accepted last, as it will leave. */
  const header = async (reply: Reply) => {
    assert.equal(reply.status, 200, reply.text)
    const work = await service.store.readWork(await newestEmail(service, companyId))
    return Buffer.from(work!.raw!).toString('latin1').split('\r\n\r\n')[0]!
  }
  const minimal = { from: 'Ann <ann@ours.test>', to: 'b@x.test', subject: 's', text: 't' }
  const form = (fields: Record<string, string>, as = api) =>
    as.form('ours.test', Object.entries({ ...minimal, ...fields }))

  test('encoded parentheses do not move text into or out of comments', async () => {
    const reply = await ready(
      'From: (=?utf-8?q?=29x?= z =?utf-8?q?y_=3Cme=40ours.test=3E_=28=28?=) The CEO <ceo@victim.test> (=?utf-8?q?=29?=)',
    )
    assertFormError(reply, 400, /victim\.test is not ours\.test/)
  })

  test('the address fields of a ready message are rewritten: no comment, group, fold or charset of the sender is sent', async () => {
    const sent = await header(
      await ready(
        'FROM : Staff (c): "=?iso-8859-1?Q?J=F6rg?="\r\n\t<j@ours.test> (d (e) f)\r\n , ;',
        'Sender: "\\J" <j@ours.test> (=?utf-8?q?=29_=3Cceo=40victim.test=3E?=)',
        'Reply-To: Team:a@y.test, "B,\r\n b" <b@Z.test>;',
        'Resent-From: j@ours.test (x), , (y) <k@ours.test>',
        'Resent-To: nobody:;',
        'X-Original-From: (as it was)  ceo@victim.test',
        'To: Us: a@x.test;',
      ),
    )
    assert.deepEqual(sent.split('\r\n').slice(0, 6), [
      'FROM: =?utf-8?B?SsO2cmc=?= <j@ours.test>',
      'Sender: J <j@ours.test>',
      'Reply-To: a@y.test, "B, b" <b@z.test>',
      'Resent-From: x <j@ours.test>, "(y)" <k@ours.test>',
      'X-Original-From: (as it was)  ceo@victim.test',
      'To: Us: a@x.test;',
    ])
  })

  const denied = ['ceo@victim.test', 'ceo@unknown.test', 'ceo@idle.test', 'ceo@sub.ours.test']
  for (const field of ['Sender', 'Resent-From', 'Resent-Sender', 'resent-from', 'Author']) {
    test(`${field} requires the same right as From`, async () => {
      for (const address of denied) {
        const because = `${field} names ${address.split('@')[1]}, a domain that this request may not send from`
        const json = await api.send({ ...minimal, headers: { [field]: `Boss <${address}>` } })
        assertJsonError(
          json,
          403,
          'validation_error',
          new RegExp(`^Invalid \`headers.${field}\` field\\. ${because}\\.$`, 'i'),
        )
        assertFormError(await form({ [`h:${field}`]: address }), 400, new RegExp(`h:${field} .*${because}`))
        const mime = await ready('From: ann@ours.test', `${field}: ${address}`)
        assertFormError(mime, 400, new RegExp(`message parameter is not valid: ${because}`))
      }
    })
  }

  test('Sender may be at another domain of the company if From may be, too', async () => {
    const headers = { Sender: 's@second.test' }
    await api.accepted({ ...minimal, headers })
    assertJsonError(await restricted.send({ ...minimal, headers }), 403, 'validation_error', /second\.test/)
    assertFormError(await form({ 'h:Sender': 's@second.test' }), 400, /second\.test/)
    assert.equal((await form({ 'h:Sender': 's@ours.test' })).status, 200)
    assert.equal((await form({ 'h:Sender': 's@ours.test' }, restricted)).status, 200)
  })

  test('recipient variables fill in the names of senders, and cannot change the author', async () => {
    const fill = (n: string) => ({ 'recipient-variables': JSON.stringify({ 'b@x.test': { n } }) })
    const template = '"%recipient.n%" <me@ours.test>'
    const mime = (line: string, n: string) =>
      api.multipart(
        'ours.test',
        [
          { name: 'to', value: 'b@x.test' },
          { name: 'recipient-variables', value: fill(n)['recipient-variables'] },
          {
            name: 'message',
            value: `From: a@ours.test\r\n${line}\r\n\r\nhello\r\n`.replace(/^From.*\r\n(?=From)/, ''),
            filename: 'm',
          },
        ],
        'messages.mime',
      )
    const encoded = '=?utf-8?q?=25recipient=2En=25?= <me@ours.test>'
    const ways: [string, (n: string) => Promise<Reply>][] = [
      ['From', (n) => form({ from: template, ...fill(n) })],
      ['Sender', (n) => form({ 'h:Sender': template, ...fill(n) })],
      ['Resent-From', (n) => form({ 'h:Resent-From': template, ...fill(n) })],
      ['From', (n) => mime(`From: ${encoded}`, n)],
      ['Sender', (n) => mime(`Sender: ${encoded}`, n)],
      ['Resent-From', (n) => mime(`Resent-From: ${encoded}`, n)],
    ]
    for (const [field, send] of ways) {
      for (const hostile of [
        'x" <ceo@victim.test>, "',
        'ceo@victim.test',
        '=?utf-8?q?ceo=40victim.test?=',
        '\u202etset',
      ]) {
        assertFormError(await send(hostile), 400, /for b@x\.test/)
      }
      const reply = await send('Doe", <J')
      assert.equal(reply.status, 200, reply.text)
      const id = await newestEmail(service, companyId)
      let captured = await service.store.readCaptured(id)
      while (captured.length === 0) captured = await service.store.readCaptured(id)
      const sent = Buffer.from(captured[0]!.raw).toString('latin1')
      assert.ok(sent.includes(`\r\n${field}: "Doe\\", <J" <me@ours.test>\r\n`), sent)
    }
  })

  test('each mailbox of Resent-From is checked, and Sender has only one', async () => {
    const headers = { 'Resent-From': 'a@ours.test, b@victim.test' }
    assertJsonError(await api.send({ ...minimal, headers }), 403, 'validation_error', /victim\.test/)
    const two = { Sender: 'a@ours.test, b@ours.test' }
    assertJsonError(
      await api.send({ ...minimal, headers: two }),
      422,
      'validation_error',
      /more than one address/,
    )
    assertFormError(
      await ready('From: a@ours.test', 'Resent-From: a@ours.test', 'Resent-From: b@victim.test'),
      400,
      /Resent-From names victim\.test/,
    )
  })
})
