/** Sites files: their valid contents, and the limits that hold for each site. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { judge } from '../../src/delivery/judge/judge.ts'
import { readSites, SitesError } from '../../src/delivery/sites/read-sites.ts'
import type { SiteBlocks } from '../../src/delivery/sites/site-block.ts'
import { SiteTable } from '../../src/delivery/sites/site-table.ts'
import { openSiteTable } from '../../src/delivery/sites/sites-file.ts'

const SHIPPED = new URL('../../src/delivery/sites/sites.toml', import.meta.url)
const NOTHING: SiteBlocks = { general: { limits: {}, replies: [], source: null }, sites: [] }

const file = (text: string) => readSites(text, '/etc/sites.toml', ['Google', 'A', 'Big'])

/** The table with this file of the operator over a shipped one that knows one provider. */
function over(own: string, sessions = 20): SiteTable {
  const shipped = readSites(
    '[[site]]\nname = "Big"\nmx = ["*.big.test"]\nsessions = 10\nmessages_per_session = 50',
    's',
  )
  return new SiteTable(shipped, own === '' ? null : file(own), sessions)
}

test('an error in a file is reported with its line and the allowed values', () => {
  const rows: [text: string, fault: RegExp][] = [
    [
      '[default]\nsessions = 0',
      /^\/etc\/sites\.toml, line 2: sessions 0: a whole number from 1 to 10000 is needed$/,
    ],
    [
      '[default]\ntls = "always"',
      /line 2: tls "always": allowed are "opportunistic", "required", "verified"$/,
    ],
    ['[default]\nenvelope_behind_dot = "no"', /line 2: envelope_behind_dot "no": true or false is needed$/],
    ['[default]\nsize = 25', /line 2: size 25: a text is needed$/],
    ['[default]\nsize = "25 octets"', /line 2: size "25 octets": .*needs a number and a unit, like 512KB/],
    ['[default]\nback_off = "7h"', /line 2: back_off "7h": .*6h/],
    [
      '[[site]]\nname = "A"\nreplies = [{ pattern = "x", finding = "busy", back_off = "7h" }]',
      /line 3: replies: back_off "7h": .*6h/,
    ],
    ['[default]\nname = "x"', /line 2: "name" is not known here\. Allowed: sessions, messages_per_session, /],
    ['[defaults]\nsessions = 1', /line 1: "defaults" is not known here: the file holds one \[default\]/],
    [
      '[[site]]\nname = "A"\n\n[[site]]\nname = "B"\nmx = ["*.com"]',
      /line 6: mx has "\*\.com": names like mx1\.example\.com or \*\.example\.com/,
    ],
    [
      '[[site]]\nname = "A"\ndomains = ["*.a.test"]',
      /line 3: domains has "\*\.a\.test": names like example\.com are/,
    ],
    ['[[site]]\nmx = ["mx.a.test"]', /line 1: name is missing: a text of 1 to 60 characters is needed$/],
    [
      '[[site]]\nname = "B"\nmx = ["*.b.test"]\n[[site]]\nname = "C"\nmx = ["mx.c.test", "*.B.test"]',
      /line 6: mx has "\*\.b\.test", which the site "B" in line 3 has as well$/,
    ],
    [
      '[[site]]\nname = "B"\ndomains = ["b.test"]\n[[site]]\nname = "C"\ndomains = ["b.test"]',
      /line 6: domains has "b\.test", which the site "B" in line 3 has as well$/,
    ],
    ['[[site]]\nname = "X"', /line 2: the site "X" is not a known provider, so it needs mx or domains$/],
    [
      '[[site]]\nname = "Own"\nmx = ["mx.own.test"]\n[[site]]\nname = "own"\nsessions = 5',
      /line 5: the site "own" is named twice, first in line 2$/,
    ],
    ['[[site]]\nname = "A"\n[[site]]\nname = "a"', /line 4: the site "a" is named twice, first in line 2$/],
    [
      '[[site]]\nname = "A"\nmessages_per_minute = "many"',
      /line 3: messages_per_minute "many": a whole number from 1 to 1000000, or "unlimited", is needed$/,
    ],
    [
      '[[site]]\nname = "A"\nreplies = [{ pattern = "(", finding = "busy" }]',
      /line 3: replies has a pattern that is no regular expression/,
    ],
    [
      '[[site]]\nname = "A"\nreplies = [{ pattern = "x", finding = "dead" }]',
      /line 3: replies: finding "dead": allowed are "busy", "path"/,
    ],
    [
      '[[site]]\nname = "A"\nreplies = [{ words = "x" }]',
      /line 3: replies has \{"words":"x"\}: \{ pattern = /,
    ],
    [
      '[[site]]\nname = "Gogle"\nsessions = 40',
      /line 2: .*"Gogle" is not a known provider, .*mean "Google"\?/,
    ],
    ['sessions = [', /^\/etc\/sites\.toml, line 1: /],
    ['[default]\nsessions = 1\nsessions = 2', /^\/etc\/sites\.toml, line 3: /],
  ]
  for (const [text, fault] of rows) {
    assert.throws(
      () => file(text),
      (error) => error instanceof SitesError && fault.test(error.message),
      text,
    )
  }
})

test('every shipped block names the source of its figures', () => {
  const { sites, general } = readSites(readFileSync(SHIPPED, 'utf8'), 'sites.toml')
  assert.ok(sites.length >= 15)
  for (const { name, mx, source } of sites) {
    assert.ok(source !== null && source.length > 20, name)
    assert.ok(mx.length > 0, name)
  }
  assert.notEqual(general.source, null)
})

test('a provider is recognised by the names of its servers, whatever domain they serve', () => {
  const table = openSiteTable({ sites: null, siteConcurrency: 20 })
  const at = (...ranks: string[][]) => {
    const { provider, whole } = table.recognise('x.test', ranks)
    return [provider, whole]
  }
  assert.deepEqual(at(['gmail-smtp-in.l.google.com'], ['alt1.gmail-smtp-in.l.google.com']), ['Google', true])
  assert.deepEqual(at(['aspmx.l.google.com'], ['aspmx2.googlemail.com']), ['Google', true])
  assert.deepEqual(at(['acme-com.mail.protection.outlook.com']), ['Microsoft 365', true])
  assert.deepEqual(at(['acme-com.b-v1.mx.microsoft']), ['Microsoft 365', true])
  assert.deepEqual(at(['outlook-com.olc.protection.outlook.com']), ['Outlook.com', true])
  assert.deepEqual(at(['mta5.am0.yahoodns.net', 'mta6.am0.yahoodns.net']), ['Yahoo', true])
  assert.deepEqual(at(['google.com.x.test']), [null, false])
  assert.deepEqual(at(['notgoogle.com']), [null, false])
})

test('neither a domain without an MX record nor a provider’s host that takes no mail is taken for the provider', () => {
  const table = openSiteTable({ sites: null, siteConcurrency: 20 })
  for (const host of [
    'mail.google.com',
    'www.qq.com',
    'e.mail.ru',
    'www.gmx.net',
    'src.g03.yahoodns.net',
    'c-73-1-2-3.hsd1.il.comcast.net',
    'x.fbx.proxad.net',
  ]) {
    assert.equal(table.recognise(host, [[host]]).provider, null, host)
    assert.equal(table.recognise('x.test', [[host]]).provider, null, host)
  }
  const implicit = 'x.mail.protection.outlook.com'
  assert.equal(table.recognise(implicit, [[implicit]]).provider, null)
  assert.equal(table.recognise('x.test', [[implicit]]).provider, 'Microsoft 365')
  // The operator who writes down a single host means that host, with or without MX record.
  assert.equal(
    over('[[site]]\nname = "Own"\nmx = ["own.test"]').recognise('own.test', [['own.test']]).provider,
    'Own',
  )
})

test('a zone that names its own server in addition to a provider has the limits, and shares nothing', () => {
  const table = over('')
  const mixed = table.recognise('x.test', [['mx.big.test'], ['mx.x.test']])
  assert.deepEqual([mixed.provider, mixed.whole, mixed.limits.sessions], ['Big', false, 10])
  const equal = table.recognise('x.test', [['mx.big.test', 'mx.x.test']])
  assert.deepEqual([equal.provider, equal.whole], [null, false])
})

test('the operator’s file overrides the shipped one, key by key', () => {
  const table = over(`
    [default]
    messages_per_minute = 600
    [[site]]
    name = "big"
    messages_per_session = 5
    messages_per_minute = "unlimited"
    [[site]]
    name = "Own"
    mx = ["mx1.big.test"]
    domains = ["own.test"]
    tls = "verified"
  `)
  const limits = (domain: string, host: string) => {
    const { provider, limits } = table.recognise(domain, [[host]])
    const { sessions, messagesPerSession, messagesPerMinute, tls } = limits
    return [provider, sessions, messagesPerSession, messagesPerMinute, tls]
  }
  assert.deepEqual(limits('x.test', 'mx.x.test'), [null, 20, 100, 600, 'opportunistic'])
  assert.deepEqual(limits('x.test', 'mx2.big.test'), ['Big', 10, 5, null, 'opportunistic'])
  assert.deepEqual(limits('x.test', 'mx1.big.test'), ['Own', 20, 100, 600, 'verified'])
  assert.deepEqual(limits('own.test', 'mx.x.test'), ['Own', 20, 100, 600, 'verified'])
})

test('shipped session limits are capped by POSTROAD_SITE_CONCURRENCY, those of the operator are not', () => {
  const sessions = (table: SiteTable) => table.recognise('x.test', [['mx.big.test']]).limits.sessions
  assert.equal(sessions(over('', 4)), 4)
  assert.equal(sessions(over('', 40)), 10)
  assert.equal(sessions(over('[default]\nsessions = 6', 40)), 6)
  assert.equal(sessions(over('[[site]]\nname = "Big"\nsessions = 30', 4)), 30)
  assert.equal(new SiteTable(NOTHING, null, 7).general.limits.sessions, 7)
})

test('a site’s own reply rules take precedence over the judge', () => {
  const rules = [
    { pattern: '\\bcome back tomorrow\\b', finding: 'busy' as const },
    { pattern: 'not welcome', finding: 'recipient' as const },
  ]
  const said = (code: number, words: string) => judge({ stage: 'rcpt', code, words }, 'direct', rules)
  assert.equal(said(550, 'Come back TOMORROW'), 'busy')
  assert.equal(said(450, 'not welcome'), 'patience', 'a 4yz ends nobody')
  assert.equal(said(550, 'not welcome'), 'recipient')
  assert.equal(said(550, 'host mx.y.test said: come back tomorrow'), 'recipient', 'nor do quoted words count')
})

test('codes of large providers against our address, our rate and our sending domain bounce nobody', () => {
  const shipped = readSites(readFileSync(SHIPPED, 'utf8'), 'sites.toml')
  const rows: [site: string, finding: string, code: number, words: string][] = [
    [
      'Orange',
      'path',
      550,
      'ME Service refuse. Service refused, please try later. OFR006_103 192.0.2.1 [103]',
    ],
    ['Orange', 'path', 550, 'ME Adresse IP source bloquee pour incident de spam. OFR006_102 [102]'],
    ['Orange', 'path', 421, 'ME Service refuse. Service refused, please try later. OFR_999 [999]'],
    ['Orange', 'busy', 421, 'ME Veuillez essayer plus tard. OFR_990 [990]'],
    ['Orange', 'sender', 501, '5.1.0 Emetteur invalide. Invalid Sender. OFR004_405 [405]'],
    ['Orange', 'recipient', 550, '5.2.0 Mail rejete. Mail rejected. OFR_506 [506]'],
    ['La Poste', 'path', 550, '5.7.1 client [192.0.2.1] blocked using Spamhaus LPNAAA_101'],
    ['La Poste', 'path', 550, '5.5.0 Les emails envoyes ont ete bloques par nos services. LPN007_102'],
    ['La Poste', 'path', 550, '5.7.1 Service refused, please try later. LPN006_107'],
    ['La Poste', 'busy', 450, '4.7.1 Client host rejected: Service refuse / service refused LPN027_503'],
    ['La Poste', 'sender', 550, '5.7.1 Service refused, please try later. LPN007_405'],
    ['La Poste', 'dead-address', 550, '5.5.0 Adresse destinataire invalide. Invalid recipient. LPN007_416'],
    [
      'NetEase',
      'path',
      550,
      'MI:IPB 163 smtp9,8kqCgD3P please see http://mail.163.com/help/help_spam_16.htm',
    ],
    ['NetEase', 'path', 450, 'DT:RBL 163 smtp9'],
    ['NetEase', 'busy', 421, 'HL:ICC 163 smtp9'],
    ['NetEase', 'recipient', 554, 'DT:SPM 163 smtp9'],
  ]
  for (const [name, finding, code, words] of rows) {
    const { replies } = shipped.sites.find((site) => site.name === name)!
    assert.equal(judge({ stage: 'rcpt', code, words }, 'direct', replies), finding, `${name}: ${words}`)
  }
})
