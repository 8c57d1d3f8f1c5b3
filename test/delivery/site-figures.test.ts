/** The figures of large providers that are shipped: those that a provider publishes are in force. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureOfReply } from '../../src/delivery/outcome.ts'
import { openSiteTable } from '../../src/delivery/sites/sites-file.ts'

const table = openSiteTable({ sites: null, siteConcurrency: 20 })
const HOUR = 3_600_000

function failure(site: string, code: number, words: string) {
  const { replies } = table.provider(site)!
  const reply = {
    verdict: code < 500 ? 'deferred' : 'bounced',
    stage: 'mail',
    code,
    message: `${code} ${words}`,
    said: words,
  } as const
  return failureOfReply(reply as Parameters<typeof failureOfReply>[0], 'mx.test', 'direct', replies)
}

test('the servers of further providers are recognised', () => {
  const rows: [host: string, provider: string][] = [
    ['esa1.acme.iphmx.com', 'Cisco Secure Email'],
    ['d12345a.ess.barracudanetworks.com', 'Barracuda'],
    ['mx1.emailsrvr.com', 'Rackspace'],
    ['smtp.secureserver.net', 'GoDaddy'],
    ['route1.mx.cloudflare.net', 'Cloudflare Email Routing'],
    ['mx1.mail.ovh.net', 'OVH'],
    ['mx2.seznam.cz', 'Seznam'],
    ['mx0.charter.net', 'Spectrum'],
    ['cxr.mx.a.cloudfilter.net', 'Cox'],
  ]
  for (const [host, provider] of rows) {
    assert.equal(table.recognise('x.test', [[host]]).provider, provider, host)
  }
})

test('published figures are in force', () => {
  const limits = (name: string) => table.provider(name)!.limits
  assert.equal(limits('Cox').sessions, 5)
  assert.equal(limits('Cox').messagesPerSession, 100)
  assert.equal(limits('Cloudflare Email Routing').size, 25 * 1024 ** 2)
  assert.equal(limits('Orange').size, 45 * 1024 ** 2)
  assert.equal(limits('La Poste').messagesPerSession, 100)
  assert.deepEqual([limits('iCloud').sessions, limits('iCloud').messagesPerSession], [10, 5])
})

test('a provider’s own codes say what is meant, and for how long it wants no mail', () => {
  const rows: [site: string, code: number, words: string, finding: string, waitMs?: number][] = [
    [
      'Yahoo',
      421,
      '4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume',
      'busy',
      2 * HOUR,
    ],
    ['Yahoo', 421, '4.7.0 [TSS04] Try again in 300 seconds', 'busy', 300_000],
    ['Yahoo', 421, '4.7.0 [TS01] Try again in 5 hours', 'busy', HOUR / 4],
    ['Yahoo', 421, '4.7.0 [TS02] Temporarily deferred', 'busy'],
    ['Comcast', 421, '4.1.0 192.0.2.1 Throttled - RL000003', 'busy'],
    ['Comcast', 554, '5.7.1 192.0.2.1 BL000000 Blocked', 'path'],
    ['Cox', 421, 'cmsmtp 192.0.2.1 blocked. Refer to Error Codes section. AUP#CXCNCT', 'busy'],
    ['Cox', 554, 'cox.net cxr 192.0.2.1 AUP#CXBL', 'path'],
    ['Cox', 550, '5.1.1 <a@cox.net> recipient rejected', 'recipient'],
    ['Rackspace', 451, '4.7.1 Received too many messages from a new or untrusted IP (G28)', 'busy'],
    ['Google', 421, '4.7.28 Gmail has detected an unusual rate of unsolicited mail', 'busy'],
    ['Spectrum', 421, 'cmsmtp 192.0.2.1 blocked AUP#In-1340', 'busy'],
  ]
  for (const [site, code, words, finding, waitMs] of rows) {
    const found = failure(site, code, words)
    const wanted = [finding === 'recipient' ? found?.finding : finding, waitMs]
    assert.deepEqual([found?.finding, found?.waitMs], wanted, `${site}: ${words}`)
  }
})
