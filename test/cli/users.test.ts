/** The first start, and people at the command line. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { newWorkplaceOnEngine, type Serving, serve, type Workplace } from './postroad.ts'

interface Me {
  person: { address: string | null; operator: boolean }
  companies: { name: string; role: string }[]
}

const LINK = /\bhttp:\/\/127\.0\.0\.1:\d+\/console\/sign-in#token=([\w-]{43})\b/

function tokenIn(text: string): string {
  const found = LINK.exec(text)
  assert.ok(found, `no link in:\n${text}`)
  return found[1]!
}

/** As the page does it. */
async function signIn({ url }: Serving, token: string): Promise<{ status: number; body: Me }> {
  const response = await fetch(`${url}/console/api/session/link`, {
    method: 'POST',
    headers: { 'x-postroad-console': '1', 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  return { status: response.status, body: (await response.json()) as Me }
}

describe('people', () => {
  let place: Workplace
  beforeEach(async () => {
    place = await newWorkplaceOnEngine()
  })
  afterEach(() => place.remove())

  test('a first start begins with a link that signs the operator in, once', async () => {
    const service = await serve(place, [], /--raw/)
    assert.match(service.stdout(), /^\s*Open the inbox: http:\S+$/m)
    const token = tokenIn(service.stdout())
    assert.ok(service.stdout().indexOf(token) < service.stdout().indexOf('curl'))
    const { status, body } = await signIn(service, token)
    assert.equal(status, 200)
    assert.deepEqual(body.person.operator, true)
    assert.deepEqual(body.companies, [{ ...body.companies[0], name: 'Acme', role: 'operator' }])
    assert.equal((await signIn(service, token)).status, 404)
    const { stderr } = await service.stop()
    assert.equal(stderr, '')
    // The operator chose no password, and could not get in again without another link.
    const again = await serve(place, ['--json'], /^\{"url".*\n/m)
    assert.notEqual(tokenIn(again.stdout()), token)
    await again.stop()
  })

  test('every start prints a new link until one has been used: there would be no other way in', async () => {
    const first = await serve(place, ['--json'], /^\{"url".*\n/m)
    const unused = tokenIn(first.stdout())
    await first.stop()
    const second = await serve(place, ['--json'], /^\{"url".*\n/m)
    const token = tokenIn(second.stdout())
    assert.notEqual(token, unused)
    assert.equal((await signIn(second, token)).body.person.operator, true)
    assert.equal((await place.json<unknown[]>('user', 'list')).length, 1)
    await second.stop()
  })

  test('the link leads to the console’s own address; without a console there is no link', async () => {
    place.env.POSTROAD_CONSOLE_LISTEN = '127.0.0.1:0'
    const apart = await serve(place, ['--json'], /^\{"url".*\n/m)
    const link = LINK.exec(apart.stdout())![0]
    assert.notEqual(new URL(link).origin, apart.url)
    assert.equal((await signIn({ ...apart, url: new URL(link).origin }, tokenIn(link))).status, 200)
    await apart.stop()
    place.env.POSTROAD_CONSOLE_LISTEN = 'off'
    const without = await serve(place, ['--json'], /^\{"url".*\n/m)
    assert.match(without.stdout(), /"console":null/)
    await without.stop()
  })

  test('where mail leaves, the first start names the page that sets it up, and commands only without a console', async () => {
    place.env.POSTROAD_DELIVERY = 'direct'
    const service = await serve(place, [], /#token=/)
    assert.doesNotMatch(service.stdout(), /company create|domain add|key create/)
    assert.equal((await signIn(service, tokenIn(service.stdout()))).status, 200)
    await service.stop()
    // There is still no company.
    const again = await serve(place, [], /Set up/)
    assert.match(again.stdout(), /^ {2}http:\/\/127\.0\.0\.1:\d+\/console\/sign-in#token=/m)
    assert.doesNotMatch(again.stdout(), /company create/)
    await again.stop()
    place.env.POSTROAD_CONSOLE_LISTEN = 'off'
    const without = await serve(place, [], /key create/)
    assert.match(without.stdout(), /company create "My Company"/)
    await without.stop()
  })

  test('user link signs in the first operator, or a named person', async () => {
    const service = await serve(place, [], /--raw/)
    await place.json('user', 'invite', 'Ada@People.test', '--operator')
    const { stdout } = await place.run('user', 'link')
    // The service listens on another port here than its settings say.
    assert.match(stdout, /#token=/)
    const made = await place.json<{ link: string; address: null }>('user', 'link')
    assert.equal(made.address, null)
    assert.equal((await signIn(service, made.link.split('=')[1]!)).body.person.address, null)
    const ada = await place.json<{ link: string }>('user', 'link', 'ada@people.test')
    assert.equal((await signIn(service, ada.link.split('=')[1]!)).body.person.address, 'ada@people.test')
    const nobody = await place.run('user', 'link', 'bob@people.test')
    assert.equal(nobody.code, 1)
    assert.match(nobody.stderr, /no person with the address "bob@people\.test"; see: postroad user list/)
    await service.stop()
  })

  test('links begin with the public address of the service', async () => {
    place.env.POSTROAD_PUBLIC_URL = 'https://mail.example.test'
    await place.json('user', 'invite', 'ada@people.test', '--operator')
    const { link } = await place.json<{ link: string }>('user', 'link')
    assert.match(link, /^https:\/\/mail\.example\.test\/console\/sign-in#token=/)
    // By itself the console is there alone.
    place.env.POSTROAD_CONSOLE_LISTEN = '127.0.0.1:8588'
    const { link: apart } = await place.json<{ link: string }>('user', 'link')
    assert.match(apart, /^http:\/\/127\.0\.0\.1:8588\/console\/sign-in#token=/)
    place.env.POSTROAD_CONSOLE_LISTEN = 'off'
    const { code, stderr } = await place.run('user', 'link')
    assert.equal(code, 1)
    assert.match(stderr, /^postroad: the console is off; POSTROAD_CONSOLE_LISTEN/)
  })

  test('a person is invited to a company, joins it, gets another role, and is removed', async () => {
    const service = await serve(place, [], /--raw/)
    const asked = await place.json<{ link: string }>(
      ...['user', 'invite', 'bob@people.test', '--company', 'Acme', '--role', 'viewer'],
    )
    type Listed = { address: string; invited_until: string | null; companies: { role: string }[] }
    const listed = async () =>
      (await place.json<Listed[]>('user', 'list', '--company', 'Acme')).map(
        ({ address, companies, invited_until }) => [address, companies[0]?.role, invited_until !== null],
      )
    assert.deepEqual(await listed(), [['bob@people.test', 'viewer', true]])
    const { body } = await signIn(service, asked.link.split('=')[1]!)
    assert.deepEqual([body.person.operator, body.companies[0]?.role], [false, 'viewer'])
    assert.deepEqual(await listed(), [['bob@people.test', 'viewer', false]])
    await place.json('user', 'role', 'bob@people.test', 'owner', '--company', 'Acme')
    assert.deepEqual(await listed(), [['bob@people.test', 'owner', false]])
    const twice = await place.run('user', 'invite', 'bob@people.test', '--company', 'Acme', '--role', 'owner')
    assert.match(twice.stderr, /already belongs to Acme/)
    const known = await place.run('user', 'invite', 'bob@people.test', '--operator')
    assert.match(known.stderr, /postroad user operator bob@people\.test/)
    await place.json('user', 'operator', 'bob@people.test')
    await place.json('user', 'operator', 'bob@people.test', '--end')
    // An operator may leave a company without an owner.
    await place.json('user', 'remove', 'bob@people.test', '--company', 'Acme')
    assert.deepEqual(await listed(), [])
    await place.json('user', 'remove', 'bob@people.test')
    const { stderr } = await place.run('user', 'remove', 'bob@people.test')
    assert.match(stderr, /no person with the address/)
    await service.stop()
  })
})
