import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { abuseReport, bounce, complaint } from '../../harness/returned-mail.ts'
import { dmarcXml, mailWith } from '../mail/domain-report/samples.ts'
import { DOMAIN, InboundRig } from './rig.ts'

describe('POST /inbound/mail', () => {
  let rig: InboundRig

  before(async () => {
    rig = await InboundRig.start({ bounceListeners: [] })
  })
  after(() => rig[Symbol.asyncDispose]())

  async function post(mail: string, token = rig.key.token) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'message/rfc822' }
    const answer = await fetch(`${rig.service.url}/inbound/mail`, { method: 'POST', headers, body: mail })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  test('records a bounce whose header names a return path', async () => {
    const { id, path } = await rig.send(['gone@rcpt.test'])
    const { status, body } = await post(bounce({ to: 'gone@rcpt.test', addressee: path(0) }))
    assert.equal(status, 200)
    assert.deepEqual(
      { ...body, id: typeof body.id },
      {
        object: 'inbound_mail',
        id: 'string',
        kind: 'bounce',
        outcome: 'recorded',
        note: null,
        events: 1,
        email_id: id,
      },
    )
    assert.deepEqual(await rig.states(id), ['bounced'])
  })

  const lost: [by: string, mail: (to: string, path: string) => string, state: string, events: string[]][] = [
    [
      'the envelope id in a bounce',
      (to, path) =>
        bounce({ to, addressee: `news@${DOMAIN}`, envelopeId: path.split('@')[0]!.toUpperCase() }),
      'bounced',
      ['0:bounced'],
    ],
    [
      'the Return-Path in the header that came back with a bounce',
      (to, path) => bounce({ to, addressee: `news@${DOMAIN}`, mailFrom: path }),
      'bounced',
      ['0:bounced'],
    ],
    [
      'Original-Mail-From in a complaint',
      (to, path) => complaint({ to, addressee: `abuse@${DOMAIN}`, mailFrom: path }),
      'delivered',
      ['0:complained'],
    ],
    [
      'the sender of the transaction in an abuse report',
      (to, path) => abuseReport({ to, mailFrom: path }),
      'delivered',
      ['0:complained'],
    ],
  ]
  for (const [index, [by, mail, state, events]] of lost.entries()) {
    test(`a report that came to the author's own address is known by ${by}, once, and not by a forged one`, async () => {
      const to = `reader${index}@lost.test`
      const { id, path } = await rig.send([to])
      const other = path(0).replace(/^(b.)(.)/, (_, front, letter) => front + (letter === 'a' ? 'c' : 'a'))
      assert.equal((await post(mail(to, other))).body.outcome, 'no_email')
      assert.deepEqual(await rig.states(id), ['delivered'])
      assert.equal((await post(mail(to, path('lost.test')))).body.outcome, 'recorded')
      assert.equal((await post(mail(to, path(0)))).body.outcome, 'repeated')
      assert.deepEqual(await rig.states(id), [state])
      assert.deepEqual(await rig.events(id), events)
    })
  }

  test('changes no email of another company, and answers as if it did not exist', async () => {
    const { id, path } = await rig.send(['mine@rcpt.test'])
    const other = await rig.service.company('Other')
    const { token } = await rig.service.key(other.id, { scopes: ['management'] })
    const { body } = await post(bounce({ to: 'mine@rcpt.test', addressee: path(0) }), token)
    assert.equal(body.outcome, 'no_email')
    assert.equal(body.email_id, null)
    assert.deepEqual(await rig.states(id), ['delivered'])
  })

  test('takes in reports about domains of the company of the key alone', async () => {
    const end = Math.floor(Date.now() / 1_000) * 1_000
    const xml = dmarcXml([{ source: '192.0.2.1', count: 7 }], {
      domain: DOMAIN,
      begin: end - 86_400_000,
      end,
    })
    const report = mailWith(gzipSync(xml), 'application/gzip', 'report.xml.gz').toString('latin1')
    const other = await rig.service.company('Another')
    const { token } = await rig.service.key(other.id, { scopes: ['management'] })
    const { domains } = await rig.service.store.accounts()
    const { id } = domains.find(({ name }) => name === DOMAIN)!
    const kept = async () => (await rig.service.store.domainReports(id, 'dmarc', 10)).length
    assert.equal((await post(report, token)).status, 200)
    assert.equal(await kept(), 0)
    assert.equal((await post(report)).status, 200)
    assert.equal(await kept(), 1)
  })

  test('needs a key of the whole company with the scope management', async () => {
    const sending = await rig.service.key(rig.company.id, { scopes: ['sending', 'reading'] })
    assert.equal((await post('Subject: x\r\n\r\n', sending.token)).status, 403)
    const [domain] = (await rig.service.store.accounts()).domains.filter(
      ({ companyId }) => companyId === rig.company.id,
    )
    const restricted = await rig.service.key(rig.company.id, { scopes: ['management'], domainId: domain!.id })
    assert.equal((await post('Subject: x\r\n\r\n', restricted.token)).status, 403)
  })

  test('a report about a canceled email is recorded, and leaves it canceled', async () => {
    const { id: companyId } = rig.company
    const answer = await fetch(`${rig.service.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rig.key.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ from: 'news@acme.example', to: 'later@rcpt.test', subject: 'Hello', text: 'Hello' },
        scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
      }),
    })
    const { id } = (await answer.json()) as { id: string }
    await rig.service.store.cancelScheduled(id, Date.now())
    const { body } = await post(bounce({ to: 'later@rcpt.test', addressee: rig.pathsOf(id)(0) }))
    assert.equal(body.outcome, 'recorded')
    assert.deepEqual(await rig.states(id), ['canceled'])
    assert.equal((await rig.service.store.inboundMails({ companyId, emailId: id, limit: 5 })).length, 1)
  })

  test('a report about an email that retention has removed changes nothing', async () => {
    const mail = bounce({
      to: 'gone@rcpt.test',
      addressee: rig.pathsOf('0193a1b2-0000-7000-8000-000000000000')(0),
    })
    assert.equal((await post(mail)).body.outcome, 'no_email')
  })
})
