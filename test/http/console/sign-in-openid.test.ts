/** Signing in by an OpenID Connect provider: who was invited comes in, nobody is made up. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { assertSaid, Newcomer, newPerson } from './newcomer.ts'
import { Provider } from './provider.ts'

describe('signing in by OpenID Connect', () => {
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

  test('the page is told of the provider, and sends the browser there with all that binds the answer', async () => {
    const { visit, url } = await begin()
    assert.deepEqual((await visit.get('/session/ways')).body, { openid: new URL(provider.url).host })
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
    test(`who was invited is known by the address that was verified${byUserInfo ? ', though it is told by userinfo only' : ''}`, async () => {
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
      // Who has got the address there later is somebody else.
      provider.claims = { sub: 'a successor', email: person.address!, email_verified: true }
      assertSaid((await signIn()).reply, 403, 'no_account')
      const [entry] = await service.store.audit({ companyId: null, limit: 1 })
      assert.equal(entry!.action, 'joinIdentity')
      assert.equal(entry!.actor.id, person.id)
    })
  }

  test('whoever has set a password under an address of another does not share his account', async () => {
    const person = await newPerson(service)
    const mallory = await new Newcomer(service.url).enter(service, person)
    assertSaid(await mallory.ask('PUT', '/account/password', { password: 'waiting for the owner' }), 200)
    provider.claims = { sub: randomUUID(), email: person.address!, email_verified: true }
    assertSaid((await signIn()).reply, 200)
    assertSaid(await mallory.get('/session'), 401, 'signed_out')
    assertSaid(await mallory.signIn(person.address!, 'waiting for the owner'), 401, 'wrong')
    // What he sets himself from then on is his.
    const { visit } = await signIn()
    assertSaid(await visit.ask('PUT', '/account/password', { password: 'marmalade on the violin' }), 200)
    assertSaid((await signIn()).reply, 200)
    assertSaid(await new Newcomer(service.url).signIn(person.address!, 'marmalade on the violin'), 200)
  })

  test('nobody is made up: strangers, and addresses that nobody has verified', async () => {
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

  test('an answer counts once, in the browser that asked, and only as it was asked for', async () => {
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
    // Somebody else's answer slipped into this browser, or none at all.
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

  test('ID tokens of others, for others, of another time and with another nonce are refused', async () => {
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
  test('that answers wrongly, or lies in a network that is not asked, is told as such', async () => {
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

  test('that is not set is none: the page does not offer it', async () => {
    await using service = await startService()
    const visit = new Newcomer(service.url)
    assert.deepEqual((await visit.get('/session/ways')).body, { openid: null })
    assertSaid(await visit.post('/session/oidc'), 404, 'not_found')
  })
})
