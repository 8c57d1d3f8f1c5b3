/** People are invited, given roles and removed, and every change stands in the audit list, as people do it in a browser. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { parseDelivery } from '../../src/config/parse/delivery.ts'
import { withoutBrowser } from '../support/browser.ts'
import { startSink } from '../support/sink.ts'
import { until } from '../support/until.ts'
import { Stage } from './stage.ts'
import { DESKTOP } from './tab.ts'
import { PHONE } from './visit.ts'

describe('the team page', { skip: withoutBrowser() }, () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open()
  })
  after(() => stage?.close())

  const at = (page: string) => `/c/${stage.company.id}/${page}`

  test('an owner invites a person, who opens the link and is signed in', async (t) => {
    const owner = await stage.person({ [stage.company.id]: 'owner' })
    const { page } = await stage.visit(t, at('team'), { as: owner })
    await page.getByLabel('Email address').fill('bob@people.test')
    await page.getByRole('combobox', { name: 'Role', exact: true }).click()
    await page.getByRole('option', { name: 'Viewer' }).click()
    await page.getByText('In capture mode Postroad does not mail the link').waitFor()
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = (await page.getByText(/#token=/).textContent())!
    assert.match(link, /\/console\/sign-in#token=[\w-]{43}$/)
    await page.getByRole('table', { name: 'Invitations' }).getByText('bob@people.test').waitFor()

    const bob = await stage.visit(t, '/sign-in', { as: null })
    await bob.page.goto('about:blank')
    await bob.page.goto(link)
    await bob.page.getByRole('heading', { name: 'You are invited' }).waitFor()
    const told = (await bob.page.getByRole('main').textContent()) ?? ''
    assert.ok(
      told.includes(
        `${owner.address} invites bob@people.test to the company ${stage.company.name} as viewer.`,
      ),
      told,
    )
    // To look at it is not to accept it.
    assert.equal(await stage.service.store.findPerson({ address: 'bob@people.test' }), null)
    assert.deepEqual(await bob.barriers(), [])
    await bob.page.getByRole('button', { name: 'Accept' }).click()
    await bob.page.getByRole('link', { name: 'Team' }).click()
    await bob.page
      .getByRole('table', { name: 'People of the company' })
      .getByText('bob@people.test')
      .waitFor()
    // A viewer is offered no forbidden action.
    assert.equal(await bob.page.getByLabel('Email address').count(), 0)
    assert.equal(await bob.page.getByRole('link', { name: 'Audit' }).count(), 0)
  })

  test('an invitation is renewed in one click, also when its link has expired', async (t) => {
    const { store } = stage.service
    const owner = await stage.person({ [stage.company.id]: 'owner' })
    const old = await stage.invitation('eva@people.test')
    const [invitation] = await store.invitations(stage.company.id, Date.now())
    const expired = {
      ...invitation!,
      address: 'old@people.test',
      id: randomUUIDv7(),
      expiresAt: Date.now() - 1,
    }
    await store.addInvitation(expired, randomBytes(32))
    const visit = await stage.visit(t, at('team'), { as: owner })
    const { page } = visit
    const list = page.getByRole('table', { name: 'Invitations' })
    await list.getByRole('row').filter({ hasText: 'old@people.test' }).getByText('The link expired').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('button', { name: 'Renew the invitation of old@people.test' }).click()
    await page.getByText('Invitation for old@people.test as viewer').waitFor()
    await page.getByRole('button', { name: 'Renew the invitation of eva@people.test' }).click()
    await page.getByText('Invitation for eva@people.test as viewer').waitFor()
    const link = (await page.getByText(/#token=/).textContent())!
    await page.mouse.move(0, 0)
    await page.getByRole('tooltip').waitFor({ state: 'detached' })
    assert.deepEqual(await visit.barriers(), [])
    assert.notEqual(link, old)
    const all = await store.invitations(stage.company.id, Date.now())
    assert.deepEqual(
      all
        .map(({ address }) => address)
        .filter((address) => /^(?:eva|old)@/.test(address))
        .sort(),
      ['eva@people.test', 'old@people.test'],
    )
    const other = await stage.visit(t, '/sign-in', { as: null })
    other.expect(/status of 404 .*\/session\/link/)
    await other.page.goto('about:blank')
    await other.page.goto(old)
    await other.page.getByText('already used or has expired').first().waitFor()
    await other.page.goto('about:blank')
    await other.page.goto(link)
    await other.page.getByRole('heading', { name: 'You are invited' }).waitFor()
  })

  test('when too many invitations were mailed, the page says that the link must be passed on, and until when', async (t) => {
    const sink = await startSink()
    t.after(() => sink.close())
    const mailing = await Stage.open({
      delivery: parseDelivery(`smtp://127.0.0.1:${sink.port}?tls=off`),
      systemFrom: 'postroad@ops.example',
    })
    const operators = await mailing.service.company('Operators')
    await mailing.service.domain(operators.id, 'ops.example')
    const owner = await mailing.person({ [mailing.company.id]: 'owner' })
    const visit = await mailing.visit(t, `/c/${mailing.company.id}/team`, { as: owner })
    // Once the page is left: it may be loading a part of itself.
    t.after(() => mailing.close())
    const { page } = visit
    const made = page.getByRole('status').filter({ hasText: 'Invitation for' })
    for (let time = 0; time < 4; time++) {
      const address = page.getByLabel('Email address')
      await address.fill('bob@people.test')
      const answer = page.waitForResponse(/\/team\/invitations$/)
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      assert.equal((await answer).status(), 201)
      // The form is emptied once the answer has been read.
      await until(async () => (await address.inputValue()) === '', 'an empty form')
    }
    await made.getByText('This link was not mailed').waitFor()
    const told = (await made.textContent()) ?? ''
    assert.match(told, /The next one can be mailed in (8 h|7 h 59 min)\. Share this link yourself\./)
    assert.deepEqual(await visit.barriers(), [])
  })

  test('an invitation is declined, and its link no longer works', async (t) => {
    const link = await stage.invitation('carl@people.test')
    const { page } = await stage.visit(t, '/sign-in', { as: null })
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.getByRole('heading', { name: 'Invitation declined' }).waitFor()
    const invited = await stage.service.store.invitations(stage.company.id, Date.now())
    assert.ok(invited.every(({ address }) => address !== 'carl@people.test'))
    assert.equal(await stage.service.store.findPerson({ address: 'carl@people.test' }), null)
  })

  test('an invitation for another person asks before it ends a session, and one for the same person keeps the session', async (t) => {
    const other = await stage.service.company('Invited Inc.')
    const dora = await stage.person({ [stage.company.id]: 'viewer' })
    const visit = await stage.visit(t, '/account', { as: dora })
    const { page } = visit
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    const cookie = async () =>
      (await visit.context.cookies()).find(({ name }) => name === 'postroad_session')?.value
    const before = await cookie()
    await page.goto('about:blank')
    await page.goto(await stage.invitation('else@people.test'))
    await page.getByText(`You are signed in as ${dora.address}`).waitFor()
    await page.goto('about:blank')
    await page.goto(await stage.invitation(dora.address!, other.id))
    await page.getByText('Invited Inc.').waitFor()
    assert.equal(await page.getByText('You are signed in as').count(), 0)
    const joined = page.waitForResponse(/\/session\/link$/)
    await page.getByRole('button', { name: 'Accept' }).click()
    assert.equal((await joined).status(), 200)
    assert.equal(await cookie(), before)
    const { memberships } = (await stage.service.store.findPerson({ id: dora.id }))!
    assert.deepEqual(
      memberships.map(({ companyId }) => companyId).sort(),
      [other.id, stage.company.id].sort(),
    )

    await page.goto(`${stage.service.url}/console/account`)
    await page.getByRole('button', { name: 'Leave Invited Inc.' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('button', { name: 'Leave Invited Inc.' }).waitFor({ state: 'detached' })
  })

  test('a person with an account is asked to sign in, and then accepts', async (t) => {
    const erna = await stage.person({})
    const other = await stage.service.company('Second Ltd')
    const { store } = stage.service
    await store.setMembership(erna.id, stage.company.id, 'viewer')
    const visit = await stage.visit(t, '/sign-in', { as: null })
    visit.expect(/status of 409 .* at \S+\/console\/api\/session\/link$/)
    const { page } = visit
    await page.goto('about:blank')
    await page.goto(await stage.invitation(erna.address!, other.id))
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByText('already has an account: sign in with it, then accept').waitFor()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Email address').waitFor()
  })

  test('an owner changes roles, and removes a person after a confirmation', async (t) => {
    const owner = await stage.person({ [stage.company.id]: 'owner' })
    const carol = await stage.person({ [stage.company.id]: 'viewer' })
    await stage.service.store.updatePerson(carol.id, 0, { name: 'Carol' })
    const { page } = await stage.visit(t, at('team'), { as: owner })
    await page.getByRole('combobox', { name: 'Role of Carol' }).click()
    const answered = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await page.getByRole('option', { name: 'Developer' }).click()
    await answered
    const role = async () => (await stage.service.store.findPerson({ id: carol.id }))?.memberships[0]?.role
    assert.equal(await role(), 'developer')
    await page.getByRole('button', { name: 'Remove Carol' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    assert.equal(await role(), 'developer')
    await page.getByRole('button', { name: 'Remove Carol' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'Remove Carol' }).waitFor({ state: 'detached' })
    assert.equal(await role(), undefined)
  })

  test('operators see all people, and make links for people who cannot sign in', async (t) => {
    const dave = await stage.person({ [stage.company.id]: 'developer' })
    await stage.service.store.updatePerson(dave.id, 0, { name: 'Dave' })
    const { page } = await stage.visit(t, '/c/all/team')
    await page.getByRole('button', { name: 'Actions for Dave' }).click()
    await page.getByRole('menuitem', { name: 'Create a sign-in link' }).click()
    const link = (await page.getByText(/#token=/).textContent())!
    const his = await stage.visit(t, '/sign-in', { as: null })
    await his.page.goto('about:blank')
    await his.page.goto(link)
    await his.page.getByText('Dave').first().waitFor()
    await page.getByRole('button', { name: 'Actions for Dave' }).click()
    await page.getByRole('menuitem', { name: 'Make operator' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Make operator' }).click()
    await page.getByRole('row', { name: /Dave/ }).getByText('Operator').waitFor()
  })

  test('the audit list shows each change and its author, and renews itself', async (t) => {
    const owner = await stage.person({ [stage.company.id]: 'owner' })
    await stage.service.store.updatePerson(owner.id, 0, { name: 'Ada' })
    const team = await stage.visit(t, at('team'), { as: owner })
    const { page } = await stage.visit(t, at('audit'), { as: owner })
    const changes = page.getByRole('table', { name: 'Changes' })
    await changes.getByText('created the company').waitFor()
    await team.page.getByLabel('Email address').fill('erin@people.test')
    await team.page.getByRole('button', { name: 'Create link' }).click()
    const row = changes.getByRole('row').filter({ hasText: 'invited erin@people.test as developer' })
    await row.waitFor()
    assert.match((await row.textContent()) ?? '', new RegExp(owner.address!))
    await page.getByRole('combobox', { name: 'By', exact: true }).click()
    await page.getByRole('option', { name: 'Postroad' }).click()
    await row.waitFor({ state: 'detached' })
    assert.match(page.url(), /\?by=Postroad$/)
  })

  test('deep links narrow the audit list, a reader of older entries learns of new ones, and the list is a file too', async (t) => {
    const owner = await stage.person({ [stage.company.id]: 'owner' })
    const { id: companyId } = stage.company
    const entry = (n: number) => ({
      ...{
        at: Date.now(),
        companyId,
        actor: { kind: 'person', id: null, name: 'mass@people.test' } as const,
      },
      ...({ topic: 'change', action: 'createKey', target: `key ${n}`, detail: {} } as const),
    })
    const { store } = stage.service
    const add = async (n: number) => {
      const given = entry(n)
      await store.settleAudit(await store.addAudit(given), given)
    }
    for (let n = 0; n < 60; n++) await add(n)
    const day = new Date().toISOString().slice(0, 10)
    const visit = await stage.visit(t, at(`audit?by=mass%40people.test&action=createKey&from=${day}`), {
      as: owner,
      timezoneId: 'UTC',
    })
    const { page } = visit
    const changes = page.getByRole('table', { name: 'Changes' })
    await changes.getByText('key 59', { exact: true }).waitFor()
    assert.equal(
      await page.getByRole('combobox', { name: 'By', exact: true }).inputValue(),
      'mass@people.test',
    )
    assert.equal(await page.getByLabel('From', { exact: true }).inputValue(), day)
    await page.getByRole('button', { name: 'Show earlier entries' }).click()
    await changes.getByText('key 0', { exact: true }).waitFor()
    await add(60)
    await page.getByRole('button', { name: '1 new entry' }).click()
    await changes.getByText('key 60', { exact: true }).waitFor()
    await changes.getByText('key 0', { exact: true }).waitFor({ state: 'detached' })
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ])
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n')
    assert.equal(lines.length, 62)
    await page.getByText('Sign-ins', { exact: true }).click()
    await page.getByText('No matching entries').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.waitForURL(/audit$/)
  })

  test('owners see sign-ins in the audit list', async (t) => {
    const owner = await stage.person({ [stage.company.id]: 'owner' })
    const { page } = await stage.visit(t, '/sign-in', { as: null })
    await page.goto('about:blank')
    await page.goto(await stage.link(owner))
    await page.getByRole('link', { name: 'Audit' }).waitFor()
    await page.goto(`${stage.service.url}/console${at('audit')}?topic=session`)
    const row = page.getByRole('row').filter({ hasText: owner.address! })
    await row.getByText(/signed in from 127.0.0.1 with a link/).waitFor()
    await row.getByText('browser: Chrome on Linux').waitFor()
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`the pages are accessible, in ${colorScheme} and at the width of a phone`, async (t) => {
      const paths = [at('team'), '/c/all/team', at('audit'), '/c/all/audit']
      const visit = await stage.visit(t, paths[0]!, { colorScheme })
      for (const path of paths) {
        for (const viewport of [DESKTOP, PHONE]) {
          await visit.show({ colorScheme, viewport })
          await visit.page.goto(`${stage.service.url}/console${path}`)
          await visit.page.getByRole('table').first().waitFor()
          assert.deepEqual(await visit.barriers(), [], path)
          const overflow = Number(
            await visit.page.evaluate(
              'document.documentElement.scrollWidth - document.documentElement.clientWidth',
            ),
          )
          assert.ok(overflow <= 0, `${path} is ${overflow} px wider than a phone`)
        }
      }
    })
  }
})
