/** DMARC reports over SMTP: verified by the signature of their author. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { dmarcXml, mailWith } from '../mail/domain-report/samples.ts'
import { DOMAIN, HOST, InboundRig } from './rig.ts'
import { KEY_RECORD, signed } from './signed.ts'

const DAY = 86_400_000
const KEY = { 's._domainkey.receiver.test/TXT': [KEY_RECORD] }

describe('the author of a DMARC report', () => {
  let dns: FakeDns
  let rig: InboundRig
  before(async () => {
    dns = await startDns({})
    rig = await InboundRig.start({ dnsServers: [dns.address] })
  })
  after(async () => {
    await rig?.[Symbol.asyncDispose]()
    await dns?.close()
  })
  beforeEach(() => {
    dns.zone = { ...KEY }
  })

  function report(id: string, from: string): string {
    const end = Math.floor(Date.now() / 1_000) * 1_000
    const xml = dmarcXml([{ source: '192.0.2.1', count: 7 }], { id, domain: DOMAIN, begin: end - DAY, end })
    const mail = mailWith(gzipSync(xml), 'application/gzip', 'report.xml.gz').toString('latin1')
    return mail.replace(/^From: .*$/m, `From: ${from}`)
  }
  async function authorOf(reportId: string): Promise<string | null | undefined> {
    const { domains } = await rig.service.store.accounts()
    const { id } = domains.find(({ name }) => name === DOMAIN)!
    const reports = await rig.service.store.domainReports(id, 'dmarc', 100)
    return reports.find((each) => each.reportId === reportId)?.author
  }
  const handIn = (mail: string) => rig.handIn(mail, `reports@${HOST}`)
  /** Hands it in again when it is put off, as a server does: on a slow machine a worker may start too late. */
  async function deliver(mail: string): Promise<void> {
    let answer = await handIn(mail)
    for (let tries = 1; tries < 20 && answer.startsWith('451 '); tries++) answer = await handIn(mail)
    assert.match(answer, /^250 /)
  }

  test('is proven by a signature of its organization', async () => {
    const own = await signed(report('own', 'DMARC <NoReply@receiver.test>'), 'receiver.test')
    await deliver(own)
    assert.equal(await authorOf('own'), 'noreply@receiver.test')
    const below = await signed(report('below', 'noreply@dmarc.receiver.test'), 'receiver.test')
    await deliver(below)
    assert.equal(await authorOf('below'), 'noreply@dmarc.receiver.test')
  })

  const forged: [id: string, what: string, mail: (id: string) => string | Promise<string>][] = [
    ['none', 'without a signature', (id) => report(id, 'noreply@receiver.test')],
    [
      'other',
      'with the signature of another organization',
      (id) => signed(report(id, 'noreply@large.test'), 'receiver.test'),
    ],
    [
      'changed',
      'changed after it was signed',
      async (id) => (await signed(report(id, 'me@receiver.test'), 'receiver.test')).replace('me@', 'you@'),
    ],
  ]
  for (const [id, what, mail] of forged) {
    test(`${what} is not: the report counts as one that anybody may have written`, async () => {
      await deliver(await mail(id))
      assert.equal(await authorOf(id), null)
    })
  }

  test('is left open while DNS does not answer', async () => {
    dns.zone = { 's._domainkey.silent.test/TXT': { rcode: 'SERVFAIL' } }
    const mail = await signed(report('later', 'noreply@silent.test'), 'silent.test')
    assert.match(await handIn(mail), /^451 4\.4\.3 .*kept as/)
    assert.equal(await authorOf('later'), undefined)
    const [kept] = await rig.service.store.inboundMails({ companyId: null, limit: 1 })
    assert.deepEqual(
      [kept?.outcome, kept?.note],
      ['not_counted', 'The signature of the report cannot be checked now.'],
    )
  })
})
