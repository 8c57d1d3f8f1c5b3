/** A domain, from its name to what may send, as a person goes through it: with a DNS server that the test writes. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import type { SendingDomain } from '../../src/accounts/account.ts'
import { dnsRecords } from '../../src/accounts/dns-records.ts'
import { Api } from '../http/requests.ts'
import { keepHistory } from '../mail/domain-report/history.ts'
import { withoutBrowser } from '../support/browser.ts'
import { SERVICE_NAMES } from '../support/service-names.ts'
import { Stage } from './stage.ts'
import { PHONE } from './visit.ts'

/** Ms: the page looks at DNS every 15 s. */
const NEXT_LOOK = 40_000

describe('domains', { skip: withoutBrowser() }, () => {
  let dns: FakeDns
  let stage: Stage
  let at: string
  before(async () => {
    dns = await startDns({})
    stage = await Stage.open({ dnsServers: [dns.address], hostname: 'mail.service.test' })
    at = `/c/${stage.company.id}/domains`
  })
  after(async () => {
    await stage?.close()
    await dns?.close()
  })
  beforeEach(() => {
    for (const name of Object.keys(dns.zone)) delete dns.zone[name]
  })

  const record = (page: Page, kind: string) =>
    page.getByRole('region', { name: new RegExp(`^${kind} record`) })
  async function texts(page: Page, kind: string): Promise<{ name: string; value: string }> {
    const of = (what: string) => record(page, kind).locator(`[data-record-${what}]`).innerText()
    return { name: await of('name'), value: await of('value') }
  }
  /** The name of a record as DNS has it, whatever the page shows. */
  async function fullName(page: Page, kind: string): Promise<string> {
    return (await record(page, kind).getAttribute('aria-label'))!.split(' record ')[1]!
  }
  /** What was copied last. */
  const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')
  async function add(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name: 'Add domain' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add a domain' })
    await dialog.getByLabel('Domain').fill(name)
    await dialog.getByRole('button', { name: 'Add domain' }).click()
  }

  test('a newcomer adds a domain, publishes the shown records, and sees it verified without a reload', async (t) => {
    const developer = await stage.person({ [stage.company.id]: 'developer' })
    const visit = await stage.visit(t, at, {
      as: developer,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const { page } = visit
    await add(page, 'https://Shop.example/')
    await page.getByRole('heading', { name: 'shop.example', level: 1 }).waitFor()
    await page.getByText('Waiting for DNS').waitFor()
    await page.getByText('0 of 1 required record found').waitFor()
    await record(page, 'DKIM').getByText('Not found yet').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    // Nothing is wrong: a domain that cannot send yet signs no mail.
    await page.getByRole('tab', { name: 'DKIM keys' }).click()
    await page
      .getByRole('row', { name: /Signs mail/ })
      .getByText('Not found yet')
      .waitFor()
    assert.equal(await page.getByText('DNS lacks a key').count(), 0)
    await page.getByRole('tab', { name: 'Records' }).click()
    let loads = 0
    page.on('load', () => loads++)

    const dkim = await texts(page, 'DKIM')
    await record(page, 'DKIM').getByRole('button', { name: 'Copy the value of the DKIM record' }).click()
    assert.equal(await copied(page), dkim.value)
    dns.zone[`${await fullName(page, 'DKIM')}/TXT`] = [dkim.value]
    dns.zone[`${await fullName(page, 'SPF')}/TXT`] = [
      'v=spf1 include:_spf.other.test -all',
      'other-verification=1',
    ]
    dns.zone['_spf.other.test/TXT'] = ['v=spf1 ip4:198.51.100.0/24 -all']
    dns.zone['_dmarc.shop.example/TXT'] = ['v=DMARC1; p=quarantine']
    await page.getByText('shop.example is verified').waitFor({ timeout: NEXT_LOOK })
    await record(page, 'DKIM').getByText('Found', { exact: true }).waitFor()
    // The found value beside the expected one, its meaning, and the next step.
    const found = record(page, 'SPF')
    await found.getByText('v=spf1 include:_spf.other.test -all', { exact: true }).waitFor()
    await found
      .getByText('v=spf1 a:mail.service.test include:_spf.other.test -all', { exact: true })
      .waitFor()
    await found.getByText('1 TXT record for other purposes').waitFor()
    await record(page, 'DMARC').getByText('goes to the spam folder').waitFor()
    assert.equal(loads, 0)
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('main').getByRole('link', { name: 'Domains' }).click()
    await page
      .getByRole('row', { name: /shop\.example/ })
      .getByText('Verified')
      .waitFor()
  })

  test('no value is offered for a record that has to be mended by hand, nor a second one in the zone file', async (t) => {
    const domain = await stage.service.domain(stage.company.id, 'many.example')
    const many = Array.from({ length: 11 }, (_, index) => `s${index}.many.example`)
    for (const name of many) dns.zone[`${name}/TXT`] = ['v=spf1 -all']
    dns.zone['many.example/TXT'] = [`v=spf1 ${many.map((name) => `include:${name}`).join(' ')} -all`]
    dns.zone['_dmarc.many.example/TXT'] = ['v=DMARC1; p=reject']
    const visit = await stage.visit(t, `${at}/${domain.id}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const { page } = visit
    const spf = record(page, 'SPF')
    await spf.getByText('needs 11 DNS look-ups').waitFor()
    await spf.getByText('mend the record that DNS has').waitFor()
    assert.equal(await spf.getByText('~all').count(), 0)
    await page.getByRole('button', { name: 'Copy as zone file' }).click()
    const zone = await copied(page)
    assert.match(zone, /^; Change by hand: .*needs 11 DNS look-ups/m)
    assert.match(zone, /^; In DNS for _dmarc\.many\.example: v=DMARC1; p=reject$/m)
    assert.equal(zone.match(/^[^;].* IN /gm)?.length, 1)
    assert.deepEqual(await visit.barriers(), [])
  })

  test('the records about the sender that receivers look up stand below the other records', async (t) => {
    const domain = await stage.service.domain(stage.company.id, 'logo.example')
    dns.zone['default._bimi.logo.example/TXT'] = ['v=BIMI1; l=http://logo.example/l.svg']
    const visit = await stage.visit(t, `${at}/${domain.id}`)
    const { page } = visit
    const bimi = record(page, 'BIMI')
    await bimi.getByText('Different').waitFor()
    await bimi.getByText('v=BIMI1; l=http://logo.example/l.svg', { exact: true }).waitFor()
    await bimi.getByText('must be an https:// URL').waitFor()
    assert.deepEqual(await visit.barriers(), [])
  })

  test('the name in EHLO is entered like the other names of its zone, and is in the zone file once its address is known', async (t) => {
    const sourceAddresses = [
      { address: '192.0.2.1', helo: 'mail.sent.example' },
      { address: '192.0.2.2', helo: 'mail.elsewhere.test' },
    ]
    const direct = await Stage.open({
      dnsServers: [dns.address],
      delivery: { kind: 'direct' },
      hostname: 'mail.sent.example',
      sourceAddresses,
    })
    t.after(() => direct.close())
    const domain = await direct.service.domain(direct.company.id, 'sent.example')
    dns.zone['sent.example/NS'] = ['dns10.ovh.net', 'ns10.ovh.net']
    const visit = await direct.visit(t, `/c/${direct.company.id}/domains/${domain.id}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const { page } = visit
    const ehlo = page.getByRole('region', { name: 'EHLO address record mail.sent.example' })
    await ehlo.locator('[data-record-name]').getByText('mail', { exact: true }).waitFor()
    await ehlo.locator('[data-record-value]').getByText('192.0.2.1', { exact: true }).waitFor()
    const other = page.getByRole('region', { name: 'EHLO address record mail.elsewhere.test' })
    await other.locator('[data-record-name]').getByText('mail.elsewhere.test').waitFor()
    await page.getByRole('button', { name: 'Copy as zone file' }).click()
    const zone = await copied(page)
    assert.match(zone, /^mail\.sent\.example\. IN A 192\.0\.2\.1$/m)
    assert.doesNotMatch(zone, /^mail\.elsewhere/m)
    assert.deepEqual(await visit.barriers(), [])
  })

  test('names leave out the zone unless full names are chosen, and all can be copied as a zone file', async (t) => {
    dns.zone['zone.example/NS'] = ['ns2.nowhere.test', 'NS1.nowhere.test']
    const visit = await stage.visit(t, at, { permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = visit
    await add(page, 'mail.zone.example')
    await page.getByText('The name servers of zone.example are ns1.nowhere.test, ns2.nowhere.test.').waitFor()
    const short = await texts(page, 'DKIM')
    await record(page, 'DKIM').getByRole('button', { name: 'Copy the name' }).click()
    assert.equal(await copied(page), short.name)
    assert.equal((await texts(page, 'SPF')).name, 'mail')
    await page.getByRole('switch', { name: 'Full names' }).click()
    const full = await texts(page, 'DKIM')
    assert.equal(`${short.name}.zone.example`, full.name)
    assert.deepEqual(await visit.barriers(), [])
    await record(page, 'DKIM').getByRole('button', { name: 'Copy the name' }).click()
    assert.equal(await copied(page), full.name)
    await page.reload()
    assert.equal((await texts(page, 'DKIM')).name, full.name, 'the browser keeps the choice')
    await page.getByRole('switch', { name: 'Full names' }).click()
    await page.getByRole('button', { name: 'Copy as zone file' }).click()
    const zone = await copied(page)
    assert.equal(zone.split('\n').length, 3)
    assert.ok(zone.startsWith(`${full.name}. IN TXT "`))
    // Entered in full where the provider adds the zone.
    dns.zone[`${full.name}.zone.example/TXT`] = [full.value]
    await page.getByRole('button', { name: 'Check now' }).click()
    await record(page, 'DKIM').getByText(`Enter ${short.name} as the name there`).waitFor()
  })

  test('a known DNS provider has its own steps, and names and values as its form wants them', async (t) => {
    dns.zone['cloud.example/NS'] = ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com']
    dns.zone['aws.example/NS'] = ['ns-1.awsdns-01.org', 'ns-2.awsdns-02.co.uk']
    dns.zone['ovh.example/NS'] = ['dns10.ovh.net', 'ns10.ovh.net']
    const visit = await stage.visit(t, at, { permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = visit
    await add(page, 'cloud.example')
    await page.getByText('Follow the steps at Cloudflare below').waitFor()
    assert.equal(await page.getByText('Sign in to').count(), 1)
    const steps = page.getByRole('region', { name: 'The records at Cloudflare' })
    await steps.getByText('Open “DNS”, then “Records”.').waitFor()
    await steps.getByText('Switch “Proxy status” off').waitFor()
    const link = steps.getByRole('link', { name: 'Sign in to Cloudflare' })
    assert.match((await link.getAttribute('href'))!, /^https:\/\/dash\.cloudflare\.com\//)
    assert.equal((await texts(page, 'SPF')).name, '@')
    assert.deepEqual(await visit.barriers(), [])

    const aws = await stage.service.domain(stage.company.id, 'aws.example')
    await stage.service.store.updateDomain(aws.id, {
      settings: { ...aws.settings, returnPath: 'back.aws.example' },
    })
    await page.goto(`${stage.service.url}/console${at}/${aws.id}`)
    await page.getByRole('region', { name: 'The records at Amazon Route 53' }).waitFor()
    assert.match((await texts(page, 'DKIM')).value, /^"v=DKIM1;[^"]{200,255}" "[^"]+"$/)
    await record(page, 'SPF').getByText('leave it empty').waitFor()
    assert.equal((await texts(page, 'Return path MX')).value, '10 mail.service.test')
    assert.equal(await record(page, 'Return path MX').getByText('Priority').count(), 0)
    await record(page, 'DKIM').getByRole('button', { name: 'Copy the value' }).click()
    assert.equal(await copied(page), (await texts(page, 'DKIM')).value)

    const ovh = await stage.service.domain(stage.company.id, 'ovh.example')
    await stage.service.store.updateDomain(ovh.id, {
      settings: { ...ovh.settings, returnPath: 'back.ovh.example' },
    })
    await page.goto(`${stage.service.url}/console${at}/${ovh.id}`)
    await page.getByText('A value that is a host name ends with a dot').waitFor()
    assert.deepEqual(await texts(page, 'Return path MX'), { name: 'back', value: 'mail.service.test.' })
    assert.match((await texts(page, 'DKIM')).value, /^v=DKIM1;/)
  })

  test('a viewer sees the state, and is offered no forbidden action', async (t) => {
    const domain = await stage.service.domain(stage.company.id, 'looked.example', 'suspended')
    const viewer = await stage.person({ [stage.company.id]: 'viewer' })
    const { page } = await stage.visit(t, `${at}/${domain.id}`, { as: viewer })
    await page.getByText('Sending is suspended').waitFor()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('region', { name: 'Delivery route' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /Suspend|Remove|Save|relay/ }).count(), 0)
    await page.goto(`${stage.service.url}/console${at}`)
    await page.getByRole('link', { name: 'looked.example' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Add domain' }).count(), 0)
  })

  test('an operator suspends it, lets it send, gives it a relay, and removes it by its name', async (t) => {
    const domain = await stage.service.domain(stage.company.id, 'ruled.example')
    const visit = await stage.visit(t, `${at}/${domain.id}?tab=settings`)
    const { page } = visit
    await page.getByRole('button', { name: 'Suspend sending' }).click()
    const suspension = page.getByRole('dialog', { name: 'Suspend sending from ruled.example?' })
    await suspension.getByText('mail that is already accepted waits').waitFor()
    await suspension.getByRole('button', { name: 'Suspend sending' }).click()
    await page.getByRole('button', { name: 'End suspension' }).click()
    await page.getByText('Sending, not verified').waitFor()
    await page.getByRole('button', { name: 'Set a relay...' }).click()
    const relay = page.getByRole('dialog', { name: 'Relay for ruled.example' })
    await relay.getByText('The relay is not used in capture mode').waitFor()
    await relay.getByLabel('Relay').fill('http://relay.test')
    visit.expect(/status of 422 .*\/relay$/)
    await relay.getByRole('button', { name: 'Use this relay' }).click()
    await relay.getByText('This route is not allowed').waitFor()
    await relay.getByLabel('Relay').fill('smtp://user@relay.test:2525')
    await relay.getByRole('textbox', { name: 'Password' }).fill('a secret')
    await relay.getByRole('button', { name: 'Use this relay' }).click()
    await page.getByText('is not sent. In other modes it goes through the relay').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('button', { name: 'Remove ruled.example' }).click()
    const removal = page.getByRole('dialog', { name: 'Remove ruled.example?' })
    const remove = removal.getByRole('button', { name: 'Remove domain' })
    assert.ok(await remove.isDisabled())
    await removal.getByLabel('Type ruled.example to confirm').fill('ruled.example')
    await remove.click()
    await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'ruled.example' }).waitFor({ state: 'detached' })
  })

  /** As the owner enters it at the DNS provider. */
  function publish(domain: SendingDomain): void {
    for (const { type, name, value, preference } of dnsRecords(domain, SERVICE_NAMES)) {
      dns.zone[`${name}/${type}`] = [preference === null ? value : `${preference} ${value}`]
    }
  }

  test('a return path is chosen, and used once DNS has its records', async (t) => {
    const domain = await stage.service.domain(stage.company.id, 'returned.example')
    publish(domain)
    const visit = await stage.visit(t, `${at}/${domain.id}?tab=settings`)
    const { page } = visit
    const section = page.getByRole('region', { name: 'Return path' })
    await section.getByText('Bounces go to the address in From.').waitFor()
    await section.getByRole('button', { name: 'Change host' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change the return path' })
    assert.deepEqual(await visit.barriers(), [])
    visit.expect(/status of 422/)
    await dialog.getByLabel('Host').fill('returned.example')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('must be another host').waitFor()
    await dialog.getByLabel('Host').fill('back')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await section.getByText('back.returned.example is not in use: ').waitFor()

    await page.getByRole('tab', { name: 'Records' }).click()
    const mx = await texts(page, 'Return path MX')
    assert.deepEqual(mx, { name: 'back', value: 'mail.service.test' })
    await record(page, 'Return path MX')
      .getByText(/^There is no MX record at back\.returned\.example\.$/)
      .waitFor()
    await record(page, 'Return path SPF').getByText('Required').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    publish((await stage.service.store.findDomain(domain.id))!)
    await page.getByRole('button', { name: 'Check now' }).click()
    await record(page, 'Return path MX').getByText('10 mail.service.test').waitFor()
    await page.getByText('returned.example is verified').waitFor()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await section.getByText('Bounces come back to back.returned.example.').waitFor()
  })

  test('the time for which content is kept is set for the company, and shortened for a domain', async (t) => {
    const owner = await stage.person({ [stage.company.id]: 'owner' })
    const visit = await stage.visit(t, `/c/${stage.company.id}/settings`, { as: owner })
    const { page } = visit
    const kept = page.getByRole('region', { name: 'Content of finished emails' })
    const change = async (days: string) => {
      await kept.getByRole('button', { name: 'Change time...' }).click()
      const dialog = page.getByRole('dialog', { name: 'Content of finished emails' })
      await dialog.getByLabel('Days').fill(days)
      assert.deepEqual(await visit.barriers(), [])
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await kept.getByText('Content is kept for 30 days.').waitFor()
    await change('7')
    await kept.getByText('Content is kept for 7 days.').waitFor()
    await page.getByRole('link', { name: 'Domains' }).click()
    await page.getByRole('link', { name: stage.domain }).click()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await kept.getByText('Content is kept for 7 days.').waitFor()
    await change('1')
    await kept.getByText('Content is kept for 1 day.').waitFor()
    await change('')
    await kept.getByText('Content is kept for 7 days.').waitFor()
    const { companies, domains } = await stage.service.store.accounts()
    assert.equal(companies.find(({ id }) => id === stage.company.id)!.contentRetention, 7 * 86_400_000)
    assert.ok(domains.every(({ settings }) => settings.contentRetention === undefined))
  })

  test('the page shows that records were lost, and when sending ends', async (t) => {
    const domain = await stage.service.domain(stage.company.id, 'lost.example')
    const lostSince = Date.now() - 3_600_000
    await stage.service.store.updateDomain(domain.id, { lostSince })
    const visit = await stage.visit(t, `${at}/${domain.id}`, { viewport: PHONE, colorScheme: 'dark' })
    const { page } = visit
    await page.getByText('DNS has lacked the DKIM records since').waitFor()
    await page.getByText('Sending ends').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await stage.service.store.updateDomain(domain.id, { sending: 'inactive' })
    await page.reload()
    await page.getByText('Sending has ended, because the records are gone').waitFor()
  })

  test('a DKIM key is rotated with two clicks, and the page shows the state of each key in DNS', async (t) => {
    const domain = await stage.service.domain(stage.company.id, 'rotated.example')
    const first = domain.dkim[0]!.selector
    publish(domain)
    const developer = await stage.person({ [stage.company.id]: 'developer' })
    const visit = await stage.visit(t, `${at}/${domain.id}`, { as: developer })
    const { page } = visit
    await page.getByText('rotated.example is verified').waitFor()
    await page.getByRole('tab', { name: 'DKIM keys' }).click()
    await page.getByRole('button', { name: 'Rotate' }).click()

    const waiting = page.getByRole('region', { name: 'The next key waits for its record in DNS' })
    const { name, value } = await texts(page, 'DKIM')
    await waiting.getByText('Next key', { exact: true }).waitFor()
    await waiting.getByText('DNS was last checked').waitFor()
    await waiting.getByText(`Mail is signed with ${first} until DNS has it`).waitFor()
    const next = name.split('.')[0]!
    const row = (selector: string) => page.getByRole('row', { name: new RegExp(selector) })
    await row(`${next}`).getByText('Waits for DNS').waitFor()
    await row(`${next}`).getByText('Not found yet').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Rotate' }).count(), 0)
    assert.deepEqual(await visit.barriers(), [])

    visit.expect(/status of 409/)
    await page.getByRole('button', { name: 'Sign with it now' }).click()
    const question = page.getByRole('dialog', { name: 'Sign with a key that DNS lacks?' })
    await question.getByText('mail from rotated.example would fail DKIM').waitFor()
    await question.getByRole('button', { name: 'Wait for DNS' }).click()
    await question.waitFor({ state: 'detached' })

    const full = await fullName(page, 'DKIM')
    dns.zone[`${full}/TXT`] = [value]
    await page.getByRole('button', { name: 'Check now' }).click()
    await row(`${next}`).getByText('Signs mail').waitFor()
    await page.getByText('Keep its record until then').waitFor()
    await page.getByText('A retiring key signs no more mail').waitFor()
    await waiting.waitFor({ state: 'detached' })
    assert.deepEqual(await visit.barriers(), [])

    // The key that signs comes first.
    await page.getByRole('tab', { name: 'Records' }).click()
    const kept = record(page, 'Previous DKIM')
    await kept.getByText('Keep for now').waitFor()
    const titles = await page.getByRole('heading', { name: /DKIM record$/ }).allTextContents()
    assert.deepEqual(titles, ['DKIM record', 'Previous DKIM record'])
    await page.getByRole('tab', { name: 'DKIM keys' }).click()

    // A record that DNS has lost.
    delete dns.zone[`${full}/TXT`]
    await page.reload()
    await page.getByText('DNS lacks a key that signs mail').waitFor()
    await page.getByText(`cannot verify the signatures of ${next}`).waitFor()
    await page.getByText('Sending, not verified').waitFor()
    assert.deepEqual(await visit.barriers(), [])
  })

  test('a rotation is cancelled, and a viewer only sees it', async (t) => {
    const domain = await stage.service.domain(stage.company.id, 'cancelled.example')
    publish(domain)
    const viewer = await stage.person({ [stage.company.id]: 'viewer' })
    const { page } = await stage.visit(t, `${at}/${domain.id}?tab=dkim`)
    await page.getByRole('button', { name: 'Rotate' }).click()
    const other = (await stage.visit(t, `${at}/${domain.id}?tab=dkim`, { as: viewer })).page
    await other.getByText('The next key waits for its record in DNS').waitFor()
    assert.equal(await other.getByRole('button', { name: /Rotate|Cancel|Sign with it/ }).count(), 0)
    await page.getByRole('button', { name: 'Cancel rotation' }).click()
    await page.getByText('The rotation is cancelled').waitFor()
    await page.getByRole('button', { name: 'Rotate' }).waitFor()
  })

  test('the checks of an email say what receivers find in DNS for its signature', async (t) => {
    const domain = await stage.service.domain(stage.company.id, 'looked-up.example')
    const { token } = await stage.service.key(stage.company.id)
    const api = new Api(stage.service.url, token)
    const id = await api.accepted({
      ...{ from: `a@${domain.name}`, to: 'b@x.test', subject: 'Hello', text: 'Hello' },
    })
    const view = `/c/${stage.company.id}/emails/${id}?tab=checks`
    const { page } = await stage.visit(t, view)
    await page.getByText(`DNS lacks the key of the DKIM signature (${domain.dkim[0]!.selector})`).waitFor()
    await page.getByText('may refuse the message or put it into spam').waitFor()
    publish(domain)
    const lacks = page.getByText('DNS lacks the key of the DKIM signature')
    await lacks.waitFor({ state: 'hidden', timeout: NEXT_LOOK })
    await page.getByRole('button', { name: /passed$/ }).click()
    await page.getByText('DNS has the key of the DKIM signature').waitFor()
  })

  test('DKIM keys are changed for others', async (t) => {
    const domain = await stage.service.domain(stage.company.id, 'signed.example')
    const visit = await stage.visit(t, `${at}/${domain.id}?tab=dkim`, {
      viewport: PHONE,
      colorScheme: 'dark',
    })
    const { page } = visit
    const first = domain.dkim[0]!.selector
    await page.getByRole('button', { name: 'Add a key' }).click()
    await page.getByRole('dialog').getByLabel('Selector').fill('next')
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByRole('row', { name: /next/ }).getByText('Not in use').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    const act = async (selector: string, action: string) => {
      await page.getByRole('button', { name: `Actions for key ${selector}` }).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    }
    visit.expect(/status of 409/)
    await act(first, 'Deactivate')
    await page.getByText('It is the only key that signs').waitFor()
    await page.getByText('DNS lacks a key that signs mail').waitFor()
    const one = page.getByRole('row', { name: new RegExp(first) })

    // DNS has neither of them.
    await act('next', 'Activate')
    const on = page.getByRole('dialog', { name: 'Sign mail with next?' })
    await on.getByText('DNS has no record at next._domainkey.signed.example.').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await on.getByRole('button', { name: 'Keep it inactive' }).click()
    await on.waitFor({ state: 'detached' })
    await act('next', 'Activate')
    await on.getByRole('button', { name: 'Activate anyway' }).click()
    await page.getByRole('row', { name: /next/ }).getByText('Signs mail').waitFor()

    // The first one is the only one that DNS has.
    publish(domain)
    await act(first, 'Deactivate')
    const off = page.getByRole('dialog', { name: `Stop signing with ${first}?` })
    await off.getByText('is the only key that signs mail from signed.example and is in DNS').waitFor()
    await off.getByRole('button', { name: 'Deactivate anyway' }).click()
    await one.getByText('Not in use').waitFor()
    await page.getByText('Sending, not verified').waitFor()
    await act(first, 'Remove')
    await page.getByRole('row', { name: new RegExp(first) }).waitFor({ state: 'detached' })
    await act('next', 'Rename...')
    await page.getByRole('dialog').getByLabel('Selector').fill('s2')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByText('DNS has no record at s2._domainkey').waitFor()
    const renamed = (await stage.service.store.findDomain(domain.id))!
    publish({ ...renamed, dkim: renamed.dkim.map((key) => ({ ...key, selector: 's2' })) })
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('row', { name: /s2/ }).waitFor()
  })

  test('reports show the senders of mail from a domain, the failures, and the next step', async (t) => {
    const { store } = stage.service
    const domain = (await store.accounts()).domains.find(({ name }) => name === stage.domain)!
    await keepHistory(store, domain, [
      { source: '192.0.2.1', count: 55 },
      { source: '2001:db8::25', count: 5, dkim: 'fail', spf: 'fail' },
    ])
    await keepHistory(store, domain, [{ source: '192.0.2.1', count: 5_000 }], [null])
    const visit = await stage.visit(t, `${at}/${domain.id}?tab=reports`)
    const { page } = visit
    await page.getByText(/40 of 480 messages \(8\.3%\) pass neither DKIM nor SPF/).waitFor()
    await page.getByRole('row', { name: /^2001:db8::25 .* 40 0 0 40/ }).waitFor()
    await page.getByText(/Not verified: 40,000 messages \(0 fail\), .* receiver\.test/).waitFor()
    await page.getByRole('row', { name: /^192\.0\.2\.1 .* 40,440 .* 40,000$/ }).waitFor()
    await page.getByText('certificate-expired').first().waitFor()
    // RFC 8460 3: no record for a URL without TLS.
    await page.getByText('To receive them over HTTPS, set POSTROAD_PUBLIC_URL').waitFor()
    assert.equal(await page.getByText('v=TLSRPTv1').count(), 0)
    assert.deepEqual(await visit.barriers(), [])
    await page.setViewportSize(PHONE)
    assert.deepEqual(await visit.barriers(), [])
  })
})
