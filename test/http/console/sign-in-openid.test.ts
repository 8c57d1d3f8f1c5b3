/** Signing in with an OpenID Connect provider: it works for invited people, and creates no account. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { NO_CREDENTIALS } from '../../../src/people/person.ts'
import { type Service, startService } from '../../support/service.ts'
import { assertSaid, Newcomer, newPerson } from './newcomer.ts'
import { Provider } from './provider.ts'

describe('signing in with OpenID Connect', () => {
  let provider: Provider
  let service: Service

  before(async () => {
    provider = await Provider.start()
    const openid = { issuer: provider.url, clientId: 'postroad', clientSecret: 'client secret' }
    service = await startService({ openid, allowPrivateNetworks: true })
  })
  after(async () => {
    await service?.close()
    provider?.close()
  })
  beforeEach(() => Object.assign(provider, { claims: { sub: randomUUID() }, lies: {}, byUserInfo: false }))

  async function begin(visit = new Newcomer(service.url)): Promise<{ visit: Newcomer; url: string }> {
    const reply = await visit.post('/session/oidc')
    assertSaid(reply, 200)
    return { visit, url: reply.body.url as string }
  }

  async function signIn() {
    const { visit, url } = await begin()
    return { visit, reply: await visit.post('/session/oidc/return', { query: provider.agree(url) }) }
  }

  test('the page knows the provider, and sends the browser there with everything that binds the answer', async () => {
    const { visit, url } = await begin()
    assert.deepEqual((await visit.get('/session/ways')).body, {
      openid: new URL(provider.url).host,
      forgotten: false,
    })
    const asked = new URL(url).searchParams
    assert.equal(asked.get('response_type'), 'code')
    assert.equal(asked.get('redirect_uri'), `${service.url}/console/sign-in`)
    assert.equal(asked.get('code_challenge_method'), 'S256')
    for (const name of ['state', 'nonce', 'code_challenge']) assert.match(asked.get(name)!, /^[\w-]{43}$/)
    const cookie = visit.cookies.get('postroad_oidc')!
    assert.ok(cookie.httpOnly && cookie.sameSite === 'strict')
    assert.ok(!Buffer.from(cookie.value!, 'base64url').toString().includes(asked.get('state')!))
  })

  for (const byUserInfo of [false, true]) {
    test(`an invited person is recognised by the verified address${byUserInfo ? ', even if only userinfo has it' : ''}`, async () => {
      const person = await newPerson(service)
      Object.assign(provider, { byUserInfo })
      provider.claims = { ...provider.claims, email: person.address!.toUpperCase(), email_verified: true }
      const { visit, reply } = await signIn()
      assertSaid(reply, 200)
      assert.equal((reply.body.person as { id: string }).id, person.id)
      assert.equal((reply.body.session as { way: string }).way, 'oidc')
      assert.equal(visit.cookies.has('postroad_oidc'), false)
      // From then on it is the account there that counts, and not the address.
      provider.claims = { sub: provider.claims.sub, email: 'moved@people.test', email_verified: true }
      assertSaid((await signIn()).reply, 200)
      // A later holder of the address at the provider is another person.
      provider.claims = { sub: 'a successor', email: person.address!, email_verified: true }
      assertSaid((await signIn()).reply, 403, 'no_account')
      const [entry] = await service.store.audit({ companyId: null, topic: 'change', limit: 1 })
      assert.equal(entry!.action, 'joinIdentity')
      assert.equal(entry!.actor.id, person.id)
    })
  }

  test('a stranger who has set a password under another person’s address does not share that person’s account', async () => {
    const person = await newPerson(service)
    const mallory = await new Newcomer(service.url).enter(service, person)
    assertSaid(await mallory.ask('PUT', '/account/password', { password: 'waiting for the owner' }), 200)
    provider.claims = { sub: randomUUID(), email: person.address!, email_verified: true }
    assertSaid((await signIn()).reply, 200)
    assertSaid(await mallory.get('/session'), 401, 'signed_out')
    assertSaid(await mallory.signIn(person.address!, 'waiting for the owner'), 401, 'wrong')
    // A password that the holder sets from then on stays.
    const { visit } = await signIn()
    assertSaid(await visit.ask('PUT', '/account/password', { password: 'marmalade on the violin' }), 200)
    assertSaid((await signIn()).reply, 200)
    assertSaid(await new Newcomer(service.url).signIn(person.address!, 'marmalade on the violin'), 200)
  })

  test('a company whose invitation a stranger accepted learns nothing of the holder of the address, who proves it later', async () => {
    const company = await service.company()
    const memberships = [{ companyId: company.id, role: 'viewer' as const }]
    const person = await newPerson(service, { memberships })
    const signIns = async () =>
      (await service.store.audit({ companyId: company.id, topic: 'session', limit: 10 })).length
    await new Newcomer(service.url).enter(service, person)
    assert.equal(await signIns(), 1)
    provider.claims = { sub: randomUUID(), email: person.address!, email_verified: true }
    const { visit, reply } = await signIn()
    assertSaid(reply, 200)
    assert.equal(await signIns(), 1)
    assertSaid(await visit.post(`/account/memberships/${company.id}`), 200)
    // Once confirmed, it stays so.
    assertSaid((await signIn()).reply, 200)
    assert.equal(await signIns(), 2)
  })

  test('an account that gives way does not block the holder of its address, and one that gives access to something stays', async () => {
    const company = await service.company()
    const { issuer } = service.settings.openid!
    for (const memberships of [[], [{ companyId: company.id, role: 'viewer' as const }]]) {
      const subject = randomUUID()
      // Connected by the holder of the account, under another address than that of the account.
      const identities = [{ issuer, subject, address: 'mallory@people.test' }]
      const squatted = await newPerson(service, {
        memberships,
        credentials: { ...NO_CREDENTIALS, identities },
      })
      provider.claims = { sub: randomUUID(), email: squatted.address!, email_verified: true }
      const { reply } = await signIn()
      if (memberships.length > 0) {
        assertSaid(reply, 403, 'no_account')
      } else {
        assertSaid(reply, 200)
        assert.equal(await service.store.findPersonByIdentity(issuer, subject), null)
      }
    }
  })

  test('no account is created for strangers and unverified addresses', async () => {
    const person = await newPerson(service)
    const people = (await service.store.people(null)).length
    const claims = [
      {},
      { email: 'stranger@people.test', email_verified: true },
      { email: person.address! },
      { email: person.address!, email_verified: false },
      { email: person.address!, email_verified: 'true' as unknown as boolean },
      { email: 'no address', email_verified: true },
    ]
    for (const each of claims) {
      provider.claims = { sub: randomUUID(), ...each }
      const { visit, reply } = await signIn()
      assertSaid(reply, 403, 'no_account')
      assert.equal(visit.cookies.has('postroad_session'), false)
    }
    assert.equal((await service.store.people(null)).length, people)
    assert.deepEqual((await service.store.findPerson({ id: person.id }))!.credentials.identities, [])
  })

  test('an answer counts once, in the browser that began, and only for its purpose', async () => {
    const person = await newPerson(service)
    provider.claims = { sub: randomUUID(), email: person.address!, email_verified: true }
    const refused = async (query: (url: string) => string, visitor?: Newcomer) => {
      const { visit, url } = await begin()
      const reply = await (visitor ?? visit).post('/session/oidc/return', { query: query(url) })
      assert.equal(reply.status, 401, reply.text)
    }
    const changed = (name: string, value: string) => (url: string) => {
      const query = new URLSearchParams(provider.agree(url))
      query.set(name, value)
      return query.toString()
    }
    // An answer for another person planted in this browser, or none at all.
    await refused((url) => provider.agree(url), new Newcomer(service.url))
    await refused(changed('state', 'x'.repeat(43)))
    await refused(changed('iss', 'https://evil.test'))
    await refused(changed('code', 'made up'))
    await refused(() => 'error=access_denied&state=x')
    await refused(() => '')
    const { visit, url } = await begin()
    const other = await begin()
    const mixed = await other.visit.post('/session/oidc/return', { query: provider.agree(url) })
    assertSaid(mixed, 401, 'wrong')
    const query = provider.agree(url)
    const ticket = visit.cookies.get('postroad_oidc')!
    assertSaid(await visit.post('/session/oidc/return', { query }), 200)
    visit.cookies.set('postroad_oidc', ticket)
    assertSaid(await visit.post('/session/oidc/return', { query }), 401, 'wrong')
  })

  test('a person connects an account, signs in with it, and disconnects it', async () => {
    const person = await newPerson(service)
    const visit = await new Newcomer(service.url).enter(service, person)
    provider.claims = { sub: randomUUID(), email: 'ada@elsewhere.test', email_verified: true }
    const begun = await visit.post('/account/identities/begin')
    assertSaid(begun, 200)
    const query = provider.agree(begun.body.url as string)
    assertSaid(await visit.post('/account/identities', { query }), 200)
    const listed = async () =>
      (await visit.get('/account')).body.identities as {
        id: string
        provider: string
        address: string | null
      }[]
    const [identity] = await listed()
    assert.deepEqual(
      [identity!.provider, identity!.address],
      [new URL(provider.url).host, 'ada@elsewhere.test'],
    )
    const { reply } = await signIn()
    assert.equal((reply.body.person as { id: string }).id, person.id)
    // No other person gets it, nor the same person twice.
    for (const each of [visit, await new Newcomer(service.url).enter(service, await newPerson(service))]) {
      const { body } = await each.post('/account/identities/begin')
      const again = await each.post('/account/identities', { query: provider.agree(body.url as string) })
      assertSaid(again, 409, 'already_exists')
    }
    // It is the only way in.
    const path = `/account/identities/${identity!.id}`
    assertSaid(await visit.ask('DELETE', path), 409, 'conflict')
    assertSaid(await visit.ask('PUT', '/account/password', { password: 'marmalade on the violin' }), 200)
    assertSaid(await visit.ask('DELETE', path), 200)
    assertSaid(await visit.ask('DELETE', path), 404, 'not_found')
    assert.deepEqual(await listed(), [])
    assertSaid((await signIn()).reply, 403, 'no_account')
    const entries = await service.store.audit({ companyId: null, limit: 20 })
    const own = entries.filter(({ actor, action }) => actor.id === person.id && /Identity$/.test(action))
    assert.deepEqual(
      own.map(({ action, done, detail }) => [action, done, detail.account]),
      [
        ['removeIdentity', true, 'ada@elsewhere.test'],
        ['connectIdentity', true, 'ada@elsewhere.test'],
      ],
    )
  })

  test('connecting an account requires a fresh proof and the person who began it, and is no sign-in', async (t) => {
    const person = await newPerson(service)
    const visit = await new Newcomer(service.url).enter(service, person)
    provider.claims = { sub: randomUUID(), email: 'somebody@elsewhere.test', email_verified: true }
    const started = async (at: Newcomer, path: string) => {
      const reply = await at.post(path)
      assertSaid(reply, 200)
      return provider.agree(reply.body.url as string)
    }
    const connecting = await started(visit, '/account/identities/begin')
    assertSaid(await visit.post('/session/oidc/return', { query: connecting }), 401, 'ended')
    const signing = await started(visit, '/session/oidc')
    assertSaid(await visit.post('/account/identities', { query: signing }), 401, 'ended')
    // Another person, whose browser gets the answer planted.
    const other = await new Newcomer(service.url).enter(service, await newPerson(service))
    const query = await started(visit, '/account/identities/begin')
    other.cookies.set('postroad_oidc', visit.cookies.get('postroad_oidc')!)
    assertSaid(await other.post('/account/identities', { query }), 401, 'ended')
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 16 * 60_000 })
    assertSaid(await visit.post('/account/identities/begin'), 403, 'proof_needed')
    assertSaid(await visit.ask('DELETE', '/account/identities/x'), 403, 'proof_needed')
    assert.deepEqual((await service.store.findPerson({ id: person.id }))!.credentials.identities, [])
  })

  test('ID tokens with another issuer, audience, time or nonce are refused', async () => {
    const person = await newPerson(service)
    provider.claims = { sub: randomUUID(), email: person.address!, email_verified: true }
    const lies = [{ iss: 'https://evil.test' }, { aud: 'another client' }, { nonce: 'another' }, { exp: 1 }]
    for (const each of lies) {
      provider.lies = each
      assertSaid((await signIn()).reply, 401, 'wrong')
    }
    provider.lies = {}
    assertSaid((await signIn()).reply, 200)
  })
})

describe('a provider', () => {
  test('that answers wrongly, or is in a refused network, is reported as such', async () => {
    const provider = await Provider.start()
    const openid = { issuer: `${provider.url}/nothing`, clientId: 'postroad', clientSecret: null }
    try {
      for (const allowPrivateNetworks of [true, false]) {
        await using service = await startService({ openid, allowPrivateNetworks })
        const reply = await new Newcomer(service.url).post('/session/oidc')
        assertSaid(reply, 502, 'provider_failed')
      }
    } finally {
      provider.close()
    }
  })

  test('that is not configured is not offered by the page', async () => {
    await using service = await startService()
    const visit = new Newcomer(service.url)
    assert.deepEqual((await visit.get('/session/ways')).body, { openid: null, forgotten: false })
    assertSaid(await visit.post('/session/oidc'), 404, 'not_found')
  })
})
