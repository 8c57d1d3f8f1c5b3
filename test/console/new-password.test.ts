/** From "Forgot password?" through the mailbox to a new password. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TOTP } from 'otpauth'
import PostalMime from 'postal-mime'
import { parseDelivery } from '../../src/config/parse/delivery.ts'
import type { Person } from '../../src/people/person.ts'
import { withoutBrowser } from '../support/browser.ts'
import { type Sink, startSink } from '../support/sink.ts'
import { Stage } from './stage.ts'
import { PHONE } from './visit.ts'

const BASE = 'http://post.example'
const NEW = 'a quiet lamp under water'

describe('a forgotten password', { skip: withoutBrowser() }, () => {
  let sink: Sink
  let stage: Stage
  before(async () => {
    sink = await startSink()
    stage = await Stage.open({
      delivery: parseDelivery(`smtp://127.0.0.1:${sink.port}?tls=off`),
      systemFrom: 'postroad@ops.example',
      publicUrl: BASE,
    })
    await stage.service.domain(stage.company.id, 'ops.example')
  })
  after(async () => {
    await stage?.close()
    await sink?.close()
  })

  /** The link in the mail, at the address of this service. */
  async function linkTo({ address }: Person): Promise<string> {
    const { text = '' } = await PostalMime.parse((await sink.messageFor(address!)).raw)
    const link = /https?:\/\/\S+/.exec(text)![0]
    assert.ok(link.startsWith(`${BASE}/console/new-password#token=`), link)
    return link.replace(BASE, stage.service.url)
  }

  test('is replaced by a link in the mailbox', async (t) => {
    const person = await stage.person({ [stage.company.id]: 'viewer' })
    const visit = await stage.visit(t, '/sign-in', { as: null })
    const { page } = visit
    await page.getByRole('button', { name: 'Forgot password?' }).click()
    await page.getByRole('heading', { name: 'Forgot password?' }).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByLabel('Email address').fill(person.address!)
    await page.getByRole('button', { name: 'Mail me a link' }).click()
    await page.getByText(`If ${person.address} has an account`).waitFor()
    assert.deepEqual(await visit.barriers(), [])

    const link = await linkTo(person)
    await page.goto(link)
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    await page.getByText(`For ${person.address}.`).waitFor()
    assert.ok(!page.url().includes('token'))
    assert.deepEqual(await visit.barriers(), [])
    visit.expect(/status of 422/)
    await page.reload()
    await page.getByText(`For ${person.address}.`).waitFor()
    await page.getByRole('textbox', { name: 'New password' }).fill('password')
    await page.getByRole('button', { name: 'Save and sign in' }).click()
    await page
      .getByText(/at least 10 characters/i)
      .last()
      .waitFor()
    await page.getByRole('textbox', { name: 'New password' }).fill(NEW)
    await page.getByRole('button', { name: 'Save and sign in' }).click()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()

    const again = await stage.visit(t, '/sign-in', { as: null, viewport: PHONE, colorScheme: 'dark' })
    again.expect(/status of 404/)
    await again.page.goto(link)
    await again.page.getByText('This link was already used or has expired').waitFor()
    assert.deepEqual(await again.barriers(), [])
    await again.page.getByRole('link', { name: 'Go to sign-in' }).click()
    await again.page.getByLabel('Email address').fill(person.address!)
    await again.page.getByRole('textbox', { name: 'Password' }).fill(NEW)
    await again.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await again.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  })

  test('needs the code of the app where two-step verification is on', async (t) => {
    const person = await stage.person({ [stage.company.id]: 'viewer' })
    const secured = await stage.visit(t, '/account', { as: person })
    const setup = await secured.context.request.post(`${stage.service.url}/console/api/account/totp`, {
      headers: { 'x-postroad-console': '1' },
    })
    const { ticket, secret } = (await setup.json()) as Record<string, string>
    const app = new TOTP({ secret: secret! })
    const on = await secured.context.request.put(`${stage.service.url}/console/api/account/totp`, {
      headers: { 'x-postroad-console': '1' },
      data: { ticket, code: app.generate() },
    })
    const { codes } = (await on.json()) as { codes: string[] }
    const visit = await stage.visit(t, '/sign-in', { as: null })
    const { page } = visit
    await page.getByRole('button', { name: 'Forgot password?' }).click()
    await page.getByLabel('Email address').fill(person.address!)
    await page.getByRole('button', { name: 'Mail me a link' }).click()
    await page.getByText('has an account').waitFor()
    await page.goto(await linkTo(person))
    await page.getByRole('textbox', { name: 'New password' }).fill(NEW)
    visit.expect(/status of 401/)
    await page.getByLabel('Code', { exact: true }).fill('000000')
    await page.getByRole('button', { name: 'Save and sign in' }).click()
    await page.getByText('This code is wrong').waitFor()
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(codes[0]!)
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('button', { name: 'Save and sign in' }).click()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  })

  test('is replaced by a link of an operator if the service mails nothing', async (t) => {
    const other = await Stage.open()
    t.after(() => other.close())
    const { page } = await other.visit(t, '/sign-in', { as: null })
    await page.getByText('An operator of this installation can make a link').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Forgot password?' }).count(), 0)
  })
})
