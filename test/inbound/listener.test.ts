import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startDns } from '../../harness/dns.ts'
import { bounce, complaint, vacation } from '../../harness/returned-mail.ts'
import { ReturnPathKey, returnPath } from '../../src/mail/return-path/return-path.ts'
import { dmarcXml, mailWith } from '../mail/domain-report/samples.ts'
import { until } from '../support/until.ts'
import { DOMAIN, HOST, InboundRig } from './rig.ts'

const DAY = 24 * 60 * 60 * 1_000

describe('the listener for returned mail', () => {
  let rig: InboundRig

  before(async () => {
    rig = await InboundRig.start({ metrics: 'same' })
  })
  after(() => rig[Symbol.asyncDispose]())

  test('accepts mail for return paths and for the people behind their hosts, and refuses all other mail at RCPT', async () => {
    const { id, path } = await rig.send(['ann@rcpt.test'])
    const forged = returnPath(
      new ReturnPathKey(Buffer.alloc(32, 1)),
      { emailId: id, recipient: 0, domain: null, at: Date.now() },
      HOST,
    )
    const client = await rig.connect()
    await client.say('MAIL FROM:<anybody@else.test>', /^250 /)
    const refused = [
      ...[
        'someone@elsewhere.test',
        `news@${DOMAIN}`,
        `postmaster@${DOMAIN}`,
        `info@${HOST}`,
        'ann@rcpt.test',
      ],
      ...[forged, path(0, Date.now() - 70 * DAY), path(0).replace(/^b./, 'b2'), 'abuse@bounces.other.test'],
    ]
    for (const address of refused) await client.say(`RCPT TO:<${address}>`, /^550 5\.1\.1 /)
    await client.say('DATA', /^554 5\.5\.1 /)
    const taken = [
      path(0),
      path(0).toUpperCase(),
      `abuse@${HOST}`,
      `Postmaster@${HOST}`,
      'postmaster',
      `reports@${HOST}`,
    ]
    for (const address of taken) await client.say(`RCPT TO:<${address}>`, /^250 /)
    await client.say('AUTH PLAIN AGEAYg==', /^502 /)
    client.socket.destroy()
  })

  test('a report about a domain is counted, and its mail says so, or why it is not', async () => {
    const end = Math.floor(Date.now() / 1_000) * 1_000
    const xml = dmarcXml([{ source: '192.0.2.1', count: 7 }], { domain: DOMAIN, begin: end - DAY, end })
    const report = mailWith(gzipSync(xml), 'application/gzip', 'report.xml.gz').toString('latin1')
    assert.equal((await rig.keep(report, `reports@${HOST}`)).outcome, 'counted')
    const old = dmarcXml([{ source: '192.0.2.1', count: 7 }], { domain: DOMAIN, begin: 0, end: DAY })
    const refused = mailWith(gzipSync(old), 'application/gzip', 'report.xml.gz').toString('latin1')
    const { outcome, note } = await rig.keep(refused, `reports@${HOST}`)
    assert.deepEqual([outcome, note], ['not_counted', 'The report is not about a recent day.'])
    const { domains } = await rig.service.store.accounts()
    const { id } = domains.find(({ name }) => name === DOMAIN)!
    const [kept] = await rig.service.store.domainReports(id, 'dmarc', 10)
    assert.deepEqual([kept?.amount, kept?.author], [7, null])
  })

  test('a late bounce turns delivered into bounced, and suppresses the dead address', async () => {
    const { id, path } = await rig.send(['late@rcpt.test', 'other@rcpt.test'])
    const mail = bounce({ to: 'late@rcpt.test', id: '<late-1@mx.rcpt.test>' })
    const kept = await rig.keep(mail, path(0))
    assert.equal(kept.outcome, 'recorded')
    assert.deepEqual(await rig.states(id), ['bounced', 'delivered'])
    assert.deepEqual(await rig.events(id), ['0:bounced'])
    assert.ok((await rig.suppressed()).includes('bounce late@rcpt.test'))
    // The same report again, at another return path of the email too, and word for word in another mail.
    assert.equal((await rig.keep(mail, path(0))).id, kept.id)
    await rig.keep(mail, path(null))
    await rig.keep(mail.replace('late-1', 'late-2'), path(0))
    assert.deepEqual(await rig.events(id), ['0:bounced'])
  })

  test('a report at the return path of a whole email counts for those of its recipients that it names', async () => {
    const { id, path } = await rig.send(['a@rcpt.test', 'b@rcpt.test', 'c@rcpt.test'])
    assert.equal((await rig.keep(bounce({ to: 'B@RCPT.test' }), path(null))).outcome, 'recorded')
    assert.equal((await rig.keep(bounce({ to: 'stranger@rcpt.test' }), path(null))).outcome, 'no_recipient')
    assert.deepEqual(await rig.states(id), ['delivered', 'bounced', 'delivered'])
  })

  test('a report at the return path for one domain says nothing about recipients at another', async () => {
    const { id, path } = await rig.send(['chief@rcpt.test', 'x@evil.test', 'y@evil.test'])
    const forged = [bounce({ to: 'chief@rcpt.test' }), complaint({ to: 'chief@rcpt.test' })]
    for (const mail of forged) assert.equal((await rig.keep(mail, path('evil.test'))).outcome, 'unproven')
    const both = await rig.keep(
      bounce({ to: 'chief@rcpt.test' }).replace(
        'Action: failed',
        'Action: failed\r\n\r\nFinal-Recipient: rfc822; x@evil.test\r\nAction: failed\r\nStatus: 5.1.1',
      ),
      path('evil.test'),
    )
    assert.equal(both.outcome, 'recorded')
    assert.deepEqual(await rig.states(id), ['delivered', 'bounced', 'delivered'])
    assert.ok(!(await rig.suppressed()).some((entry) => entry.endsWith('chief@rcpt.test')))
    assert.equal((await rig.keep(bounce({ to: 'chief@rcpt.test' }), path('rcpt.test'))).outcome, 'recorded')
  })

  test('a message for several spellings of one return path is kept once', async () => {
    const { id, path } = await rig.send(['spelled@rcpt.test'])
    const [local] = path(0).split('@')
    const client = await rig.connect()
    const spellings = [path(0), path(0).toUpperCase(), `${local}@elsewhere.test`]
    const answer = await client.send(bounce({ to: 'spelled@rcpt.test' }), spellings, '')
    assert.match(answer, /^250 2\.0\.0 Kept as /)
    client.socket.destroy()
    const kept = await rig.service.store.inboundMails({ companyId: rig.company.id, emailId: id, limit: 10 })
    assert.deepEqual(
      kept.map(({ times, events }) => [times, events]),
      [[1, 1]],
    )
  })

  test('a message for several spellings of an address that people read is kept once', async () => {
    const client = await rig.connect()
    const spellings = [`abuse@${HOST}`, `Abuse@${HOST}`, `ABUSE@${HOST.toUpperCase()}`]
    const answer = await client.send('Subject: spelled three times\r\n\r\nHello\r\n', spellings, '')
    assert.match(answer, /^250 2\.0\.0 Kept as /)
    client.socket.destroy()
    const kept = await rig.service.store.inboundMails({ companyId: null, limit: 10 })
    const times = kept.filter(({ subject }) => subject === 'spelled three times').map((mail) => mail.times)
    assert.deepEqual(times, [1])
  })

  test('a recipient that forwards its mail bounces when the address behind it does', async () => {
    const { id, path } = await rig.send(['front@rcpt.test', 'x@rcpt.test'])
    await rig.keep(
      bounce({ to: 'behind@elsewhere.test', status: '5.2.2', words: 'smtp; 552 mailbox full' }),
      path(0),
    )
    assert.deepEqual(await rig.states(id), ['bounced', 'delivered'])
  })

  test('a delay is an event and no end, a complaint suppresses once, an automatic reply changes nothing', async () => {
    const { id, path } = await rig.send(['slow@rcpt.test'])
    const delay = {
      to: 'slow@rcpt.test',
      action: 'delayed',
      status: '4.4.1',
      words: 'smtp; 451 busy',
    } as const
    await rig.keep(bounce(delay), path(0))
    await rig.keep(bounce(delay), path(0))
    assert.equal((await rig.keep(vacation('slow@rcpt.test'), path(0))).outcome, 'kept')
    assert.deepEqual(await rig.events(id), ['0:delivery_delayed', '0:delivery_delayed'])
    assert.deepEqual(await rig.states(id), ['delivered'])
    await rig.keep(complaint({ to: 'slow@rcpt.test' }), path(0))
    await rig.keep(complaint({ to: 'slow@rcpt.test' }).replace('complaint-1', 'complaint-2'), path(0))
    assert.equal((await rig.events(id)).filter((name) => name === '0:complained').length, 1)
    assert.ok((await rig.suppressed()).includes('complaint slow@rcpt.test'))
    const [reply] = await rig.service.store.inboundMails({
      companyId: rig.company.id,
      kind: 'auto_reply',
      limit: 1,
    })
    assert.equal(reply?.emailId, id)
  })

  test('an answer from the empty reverse path is automatic, in any language; the path is kept as a field', async () => {
    const { path } = await rig.send(['away@rcpt.test'])
    const mail = [
      'From: away@rcpt.test',
      `To: ${path(0)}`,
      'Subject: Re: Hello',
      'Return-Path: <away@rcpt.test>',
      '',
      'Mi estas for.',
      '',
    ].join('\r\n')
    const { id, kind } = await rig.keep(mail, path(0))
    assert.equal(kind, 'auto_reply')
    const raw = Buffer.from((await rig.service.store.readInboundMail(id))!).toString()
    assert.match(raw, /^Return-Path: <>\r\nFrom: /)
  })

  test('a success notice proves nothing that is known already', async () => {
    const { id, path } = await rig.send(['there@rcpt.test'])
    const kept = await rig.keep(
      bounce({ to: 'there@rcpt.test', action: 'delivered', status: '2.0.0', words: 'smtp; 250 ok' }),
      path(0),
    )
    assert.equal(kept.kind, 'delivery')
    assert.deepEqual(await rig.events(id), [])
  })

  test('a bounce of a bounce changes nothing', async () => {
    const { id, path } = await rig.send(['loop@rcpt.test'])
    const returned = { messageId: '<bounce-7@mx.rcpt.test>', author: 'MAILER-DAEMON@mx.rcpt.test' }
    const kept = await rig.keep(bounce({ to: 'loop@rcpt.test', ...returned }), path(0))
    assert.equal(kept.outcome, 'other_email')
    assert.deepEqual(await rig.states(id), ['delivered'])
  })

  test('a report without a token changes nothing, even with the right Message-ID', async () => {
    const { id, messageId } = await rig.send(['victim@rcpt.test'])
    const forged = bounce({ to: 'victim@rcpt.test', messageId, from: 'mailer-daemon@rcpt.test' })
    const kept = await rig.keep(forged, `postmaster@${HOST}`)
    assert.equal(kept.outcome, 'unproven')
    assert.equal(kept.emailId, id)
    assert.deepEqual(await rig.states(id), ['delivered'])
  })

  test('reads and drops the rest of a long mail, and keeps its beginning', async () => {
    const { id, path } = await rig.send(['long@rcpt.test'])
    const mail = bounce({ to: 'long@rcpt.test' })
    const long = `${mail.replace('--b--\r\n', '')}${`${'x'.repeat(70)}\r\n`.repeat(40_000)}--b--\r\n`
    const kept = await rig.keep(long, path(0))
    assert.equal(kept.outcome, 'recorded')
    assert.equal(kept.size, long.length)
    assert.equal(kept.kept, 64 * 1024)
    assert.deepEqual(await rig.states(id), ['bounced'])
  })

  test('a bounce may return a message of the most octets that may be sent, whether or not it says its size', async () => {
    const { id, path } = await rig.send(['large@rcpt.test'])
    const mail = bounce({ to: 'large@rcpt.test' })
    const large = `${mail.replace('--b--\r\n', '')}${`${'x'.repeat(998)}\r\n`.repeat(20_000)}--b--\r\n`
    assert.equal((await rig.keep(large, path(0))).size, large.length)
    assert.deepEqual(await rig.states(id), ['bounced'])
    const client = await rig.connect()
    await client.say('MAIL FROM:<> SIZE=42000000', /^250 /)
    await client.say('RSET', /^250 /)
    await client.say(
      `MAIL FROM:<> SIZE=${100 * 1024 * 1024}`,
      /^552 5\.3\.4 A bounce or report may have at most \d+ MB here\r\n$/,
    )
    client.socket.destroy()
  })

  test('reports to the operator in log and metrics', async () => {
    const counted = async () => {
      const text = await (await fetch(`${rig.service.url}/metrics`)).text()
      return Number(
        /^postroad_inbound_mails_total\{source="smtp",outcome="recorded"\} (\d+)$/m.exec(text)?.[1] ?? 0,
      )
    }
    const before = await counted()
    const { path } = await rig.send(['log@rcpt.test'])
    const { id } = await rig.keep(bounce({ to: 'log@rcpt.test' }), path(0))
    const line = rig.service.logged.findLast((text) => text.includes('Mail came back'))
    const { outcome, inboundId } = JSON.parse(line ?? '{}')
    assert.deepEqual([outcome, inboundId], ['recorded', id])
    assert.equal(await counted(), before + 1)
  })
})

test('a report whose signature cannot be checked now is kept as unproven, and its sender is asked to try again', async (t) => {
  const dns = await startDns({ 's._domainkey.rcpt.test/TXT': { rcode: 'SERVFAIL' } })
  t.after(() => dns.close())
  await using rig = await InboundRig.start({ dnsServers: [dns.address] })
  const { id, messageId } = await rig.send(['gone@rcpt.test'])
  const signature =
    'DKIM-Signature: v=1; a=rsa-sha256; d=rcpt.test; s=s; h=from:content-type; bh=AAAA; b=AAAA\r\n'
  const report = bounce({ to: 'gone@rcpt.test', messageId, from: 'mailer-daemon@rcpt.test' })
  const answer = await rig.handIn(signature + report, `postmaster@${HOST}`)
  const [, kept] = /^451 4\.4\.3 .* try again later \(kept as ([0-9a-f-]{36})\)\r\n$/.exec(answer) ?? []
  const [mail] = await rig.service.store.inboundMails({ companyId: null, emailId: id, limit: 1 })
  assert.deepEqual([mail?.id, mail?.outcome], [kept, 'unproven'], answer)
  const headers = { authorization: `Bearer ${rig.key.token}`, 'content-type': 'message/rfc822' }
  const handedIn = await fetch(`${rig.service.url}/inbound/mail`, {
    method: 'POST',
    headers,
    body: signature + report,
  })
  assert.equal(handedIn.status, 503)
  assert.equal(handedIn.headers.get('retry-after'), '300')
})

describe('places of transactions', () => {
  const MIB = 1024 * 1024
  const settings = { memory: 64 * MIB, maxMessageSize: 4 * MIB, metrics: 'same' } as const
  async function underWay(rig: InboundRig): Promise<number> {
    const text = await (await fetch(`${rig.service.url}/metrics`)).text()
    return Number(/^postroad_http_requests_under_way\{state="all"\} (\d+)$/m.exec(text)?.[1])
  }

  test('are not taken by clients that have named no recipient, or none that is known', async () => {
    await using rig = await InboundRig.start(settings)
    for (let sockets = 0; sockets < 100; sockets++) {
      const client = await rig.connect('127.0.0.9')
      await client.say('MAIL FROM:<>', /^250 /)
      if (sockets % 2 === 0) await client.say('RCPT TO:<nobody@elsewhere.test>', /^550 5\.1\.1 /)
    }
    assert.equal(await underWay(rig), 0)
    const { id, path } = await rig.send(['gone@rcpt.test'])
    assert.equal((await rig.keep(bounce({ to: 'gone@rcpt.test' }), path(0))).outcome, 'recorded')
    assert.deepEqual(await rig.states(id), ['bounced'])
  })

  test('of one network are few: the mail of other servers gets in beside its silent clients', async () => {
    await using rig = await InboundRig.start(settings)
    const refused: string[] = []
    let taken = 0
    for (let sockets = 0; sockets < 100; sockets++) {
      const client = await rig.connect('127.0.0.9')
      await client.say('MAIL FROM:<>', /^250 /)
      const reply = await client.say(`RCPT TO:<postmaster@${HOST}>`)
      if (reply.startsWith('250 ')) taken++
      else refused.push(reply)
    }
    assert.deepEqual(
      new Set(refused),
      new Set(['451 4.3.2 Too much returned mail from your network is under way here; try again later\r\n']),
    )
    // An eighth of the 42 that returned mail may have.
    assert.equal(taken, 6)
    for (let server = 10; server < 30; server++) {
      const answer = await rig.handIn(`Subject: ${server}\r\n\r\n`, `postmaster@${HOST}`, `127.0.0.${server}`)
      assert.match(answer, /^250 2\.0\.0 Kept as /)
    }
  })

  test('a client that ends its transaction, or is gone, gives its place to the next of its network', async () => {
    await using rig = await InboundRig.start(settings)
    for (let round = 0; round < 20; round++) {
      const client = await rig.connect()
      for (const end of ['RSET', 'EHLO mx.rcpt.test']) {
        await client.say('MAIL FROM:<>', /^250 /)
        await client.say(`RCPT TO:<postmaster@${HOST}>`, /^250 /)
        await client.say(end, /^250/)
      }
      await client.say('MAIL FROM:<>', /^250 /)
      await client.say(`RCPT TO:<postmaster@${HOST}>`, /^250 /)
      client.socket.destroy()
      await until(async () => (await underWay(rig)) === 0, 'the place to be free')
    }
  })

  test('beyond the share of returned mail, the listener says so of itself, and of no company', async () => {
    await using rig = await InboundRig.start(settings)
    let refused = ''
    for (let number = 1; refused === ''; number++) {
      assert.ok(number < 100, 'all of them were taken')
      const client = await rig.connect(`127.0.1.${number}`)
      await client.say('MAIL FROM:<>', /^250 /)
      const reply = await client.say(`RCPT TO:<postmaster@${HOST}>`)
      if (!reply.startsWith('250 ')) refused = reply
    }
    assert.equal(refused, '451 4.3.2 Too much returned mail is under way here; try again later\r\n')
  })
})
