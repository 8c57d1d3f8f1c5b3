/** Signing in to the console with a link or a password, and sessions. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { beginSession, makeLink } from '../../../src/operate/sessions.ts'
import type { Person } from '../../../src/people/person.ts'
import { type Service, startService } from '../../support/service.ts'
import { call, inTime, type Reply } from '../requests.ts'
import { assertSaid, Newcomer, newPerson } from './newcomer.ts'

const PASSWORD = 'marmalade on the violin'

describe('signing in to the console', () => {
  let service: Service

  before(async () => {
    service = await startService({ trustedProxies: ['127.0.0.1'] })
  })
  after(() => service.close())

  let last = 0
  /** Each from an address of its own, so that it does not share the limits of others. */
  const visitor = (from = `2001:db8:${(++last).toString(16)}::1`) =>
    new Newcomer(service.url, { 'x-forwarded-for': from })

  async function withPassword(change: Partial<Person> = {}): Promise<Person & { address: string }> {
    const person = await newPerson(service, change)
    const first = await visitor().enter(service, person)
    assertSaid(await first.ask('PUT', '/account/password', { password: PASSWORD }), 200)
    return { ...person, address: person.address! }
  }

  test('a password is chosen after a link, and signs in from then on', async () => {
    const person = await newPerson(service)
    const first = await visitor().enter(service, person)
    const chosen = await first.ask('PUT', '/account/password', { password: PASSWORD })
    assertSaid(chosen, 200)
    assert.equal((chosen.body.person as { password: boolean }).password, true)
    const again = visitor()
    const reply = await again.signIn(` ${person.address!.toUpperCase()} `, PASSWORD)
    assertSaid(reply, 200)
    assert.equal((reply.body.person as { id: string }).id, person.id)
    assert.equal((reply.body.session as { way: string }).way, 'password')
    assertSaid(await again.get('/session'), 200)
    const { credentials } = (await service.store.findPerson({ id: person.id }))!
    assert.match(credentials.password!, /^\$scrypt\$ln=15,r=8,p=3\$[\w+/]{22}\$[\w+/]{43}$/)
    assert.doesNotMatch(JSON.stringify(service.logged), new RegExp(PASSWORD))
  })

  test('a wrong password, an account without one and an unknown account get the same answer', async () => {
    const { address } = await withPassword()
    const without = (await newPerson(service)).address!
    const replies = []
    for (const each of [address, without, 'nobody@people.test', 'no address']) {
      replies.push(await visitor().signIn(each, 'another one altogether'))
    }
    for (const reply of replies) {
      assertSaid(reply, 401, 'wrong')
      assert.equal(reply.text, replies[0]!.text)
      assert.deepEqual([...reply.headers.keys()], [...replies[0]!.headers.keys()])
      assert.deepEqual(reply.headers.getSetCookie(), [])
    }
  })

  test('a change of the account during a sign-in counts: no session outlives it', async (t) => {
    const { store } = service
    const begin = store.addSession
    t.after(() => Object.assign(store, { addSession: begin }))
    /** Happens once the proof was right, before a session begins. */
    const meanwhile = (change: () => Promise<unknown>) => {
      store.addSession = async (...session) => {
        store.addSession = begin
        await change()
        await begin.apply(store, session)
      }
    }
    const cases: [
      what: string,
      change: (person: Person) => Promise<unknown>,
      ask: (visit: Newcomer, address: string) => Promise<Reply>,
    ][] = [
      [
        'a new password, while the old one signs in',
        async ({ id }) => {
          const { version, credentials } = (await store.findPerson({ id }))!
          const password = credentials.password!.replace(/\$[^$]+$/, `$${'A'.repeat(43)}`)
          assert.ok(await store.updatePerson(id, version, { credentials: { ...credentials, password } }))
          await store.endSessions(id, { except: null })
        },
        (visit, address) => visit.signIn(address, PASSWORD),
      ],
      [
        'an end of all sessions, while one of them is confirmed',
        ({ id }) => store.endSessions(id, { except: null }),
        (visit) => visit.post('/account/proof', { password: PASSWORD }),
      ],
    ]
    for (const [what, change, ask] of cases) {
      const person = await withPassword()
      const visit = visitor()
      assertSaid(await visit.signIn(person.address, PASSWORD), 200)
      meanwhile(() => change(person))
      const reply = await ask(visit, person.address)
      assert.ok(reply.status === 401, `${what}: ${reply.status} ${reply.text}`)
      assert.deepEqual(await store.sessions(person.id, Date.now()), [], what)
      assertSaid(await visit.get('/session'), 401)
    }
  })

  test('a browser is recognised for the eight people who signed in there last', async () => {
    // The octets of a ticket say how many it is for, and no more than eight make it longer.
    const lengths = new Set<number>()
    const again = visitor()
    for (let count = 0; count < 12; count++) {
      await again.enter(service, await newPerson(service))
      lengths.add(again.cookies.get('postroad_device')!.value!.length)
    }
    assert.equal(lengths.size, 8)
  })

  test('common passwords are refused with a sentence', async () => {
    const person = await newPerson(service, { address: 'grace.hopper@people.test', name: 'Grace Hopper' })
    const visit = await visitor().enter(service, person)
    for (const password of [
      'short',
      'password1234',
      'P@ssw0rd!!2026',
      'gracehopper99',
      'qwertyuiop12',
      'abcabcabcabc',
    ]) {
      const reply = await visit.ask('PUT', '/account/password', { password })
      assertSaid(reply, 422, 'invalid')
      assert.match((reply.body.error as { message: string }).message, /password/)
    }
    assertSaid(await visit.ask('PUT', '/account/password', { password: 'x'.repeat(300) }), 422, 'invalid')
    assert.equal((await service.store.findPerson({ id: person.id }))!.credentials.password, null)
  })

  test('the session is a cookie that scripts cannot read and other sites cannot send', async () => {
    const { address } = await withPassword()
    const visit = visitor()
    await visit.signIn(address, PASSWORD)
    const session = visit.cookies.get('postroad_session')!
    const { httpOnly, sameSite, path, secure, domain } = session
    assert.deepEqual(
      { httpOnly, sameSite, path, secure, domain },
      { httpOnly: true, sameSite: 'strict', path: '/console', secure: undefined, domain: undefined },
    )
    const encrypted = new Newcomer(service.url, {
      'x-forwarded-for': '2001:db8:f::1',
      'x-forwarded-proto': 'https',
    })
    assertSaid(await encrypted.signIn(address, PASSWORD), 200)
    for (const cookie of encrypted.cookies.values()) {
      assert.ok(cookie.secure && cookie.httpOnly && cookie.sameSite === 'strict', cookie.name)
      // What browsers ask of the prefix (RFC 6265bis 4.1.3.2).
      assert.match(cookie.name, /^__Host-postroad_(session|device)$/)
      assert.deepEqual([cookie.path, cookie.domain], ['/', undefined])
    }
    assertSaid(await encrypted.get('/session'), 200)
  })

  test('a cookie without the prefix is ignored over TLS, and one with it without TLS', async () => {
    const { address } = await withPassword()
    const [plain, encrypted] = [{}, { 'x-forwarded-proto': 'https' }].map(
      (headers) => new Newcomer(service.url, { 'x-forwarded-for': '2001:db8:e::1', ...headers }),
    ) as [Newcomer, Newcomer]
    for (const [one, other, name, otherName] of [
      [plain, encrypted, 'postroad_session', '__Host-postroad_session'],
      [encrypted, plain, '__Host-postroad_session', 'postroad_session'],
    ] as const) {
      assertSaid(await one.signIn(address, PASSWORD), 200)
      const { value } = one.cookies.get(name)!
      other.cookies.clear()
      other.cookies.set(name, { name, value })
      assertSaid(await other.get('/session'), 401, 'signed_out')
      other.cookies.set(otherName, { name: otherName, value })
      assertSaid(await other.get('/session'), 200)
      other.cookies.clear()
    }
  })

  test('a session ends after its lifetime, however much it is used', async (t) => {
    const { address } = await withPassword()
    const visit = visitor()
    const began = Date.now()
    t.mock.timers.enable({ apis: ['Date'], now: began })
    assertSaid(await visit.signIn(address, PASSWORD), 200)
    const { sessionLifetime } = service.settings
    assert.equal(visit.cookies.get('postroad_session')!.maxAge, sessionLifetime / 1000)
    const day = 24 * 3_600_000
    assert.equal(sessionLifetime, 30 * day)
    for (let age = 10 * day; age < sessionLifetime; age += 10 * day) {
      t.mock.timers.setTime(began + age)
      assertSaid(await visit.get('/session'), 200)
    }
    t.mock.timers.setTime(began + sessionLifetime - 1)
    assertSaid(await visit.get('/session'), 200)
    t.mock.timers.setTime(began + sessionLifetime)
    assertSaid(await visit.get('/session'), 401, 'signed_out')
  })

  test('a shorter lifetime applies to existing sessions', async () => {
    const hour = 3_600_000
    await using short = await startService({ sessionLifetime: hour })
    const person = await newPerson(short)
    for (const [age, status] of [
      [hour - 60_000, 200],
      [hour, 401],
    ] as const) {
      const from = { address: '192.0.2.1', userAgent: '', now: Date.now() - age, lifetime: 30 * 24 * hour }
      const { token } = await beginSession(short.store, person, 'link', from)
      const visit = new Newcomer(short.url)
      visit.cookies.set('postroad_session', { name: 'postroad_session', value: token })
      assertSaid(await visit.get('/session'), status)
    }
  })

  test('a sign-in makes a new token: a planted one is worthless, and the earlier one ends', async () => {
    const { address } = await withPassword()
    const visit = visitor()
    const planted = 'p'.repeat(43)
    visit.cookies.set('postroad_session', { name: 'postroad_session', value: planted })
    await visit.signIn(address, PASSWORD)
    const first = visit.cookies.get('postroad_session')!
    assert.notEqual(first.value, planted)
    await visit.signIn(address, PASSWORD)
    const second = visit.cookies.get('postroad_session')!
    assert.notEqual(second.value, first.value)
    const before = visitor()
    for (const { value } of [first, { value: planted }]) {
      before.cookies.set('postroad_session', { name: 'postroad_session', value })
      assertSaid(await before.get('/session'), 401, 'signed_out')
    }
    assertSaid(await visit.get('/session'), 200)
  })

  test('another password ends all other sessions and gives this one another token', async () => {
    const { address } = await withPassword()
    const [here, there] = [visitor(), visitor()]
    for (const each of [here, there]) assertSaid(await each.signIn(address, PASSWORD), 200)
    const before = here.cookies.get('postroad_session')!.value
    assertSaid(await here.ask('PUT', '/account/password', { password: 'violins in the marmalade' }), 200)
    assert.notEqual(here.cookies.get('postroad_session')!.value, before)
    assertSaid(await here.get('/session'), 200)
    assertSaid(await there.get('/session'), 401, 'signed_out')
    assertSaid(await visitor().signIn(address, PASSWORD), 401, 'wrong')
    assertSaid(await visitor().signIn(address, 'violins in the marmalade'), 200)
  })

  test('a proof under way is void when the password changes', async () => {
    const person = await withPassword()
    const [own, thief] = [visitor(), visitor()]
    for (const each of [own, thief]) assertSaid(await each.signIn(person.address, PASSWORD), 200)
    const { store } = service
    const { addSession } = store
    const gate = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    store.addSession = async (...added) => {
      store.addSession = addSession
      reached.resolve()
      await gate.promise
      await addSession.apply(store, added)
    }
    const proof = thief.post('/account/proof', { password: PASSWORD })
    await reached.promise
    assertSaid(await own.ask('PUT', '/account/password', { password: 'another violin in marmalade' }), 200)
    gate.resolve()
    assertSaid(await proof, 401, 'ended')
    assertSaid(await thief.get('/session'), 401)
    assert.equal((await store.sessions(person.id, Date.now())).length, 1)
  })

  test('a person who is signed out elsewhere during a change of the password does not change it', async () => {
    const person = await withPassword()
    const [own, thief] = [visitor(), visitor()]
    for (const each of [own, thief]) assertSaid(await each.signIn(person.address, PASSWORD), 200)
    const { store } = service
    const { credentials } = (await store.findPerson({ id: person.id }))!
    const { sessions } = store
    // The session ends after it was found and before the new password is hashed.
    store.sessions = async (...asked) => {
      store.sessions = sessions
      const found = await sessions.apply(store, asked)
      assertSaid(await own.ask('DELETE', '/account/sessions'), 200)
      return found
    }
    const changed = await thief.ask('PUT', '/account/password', { password: 'a password of the thief' })
    assertSaid(changed, 401)
    assert.deepEqual((await store.findPerson({ id: person.id }))!.credentials, credentials)
  })

  test('links from before a change of the password do not work', async () => {
    const person = await withPassword()
    const token = await makeLink(service.store, person.id, Date.now())
    const own = visitor()
    assertSaid(await own.signIn(person.address, PASSWORD), 200)
    assertSaid(await own.ask('PUT', '/account/password', { password: 'another violin in marmalade' }), 200)
    assertSaid(await visitor().post('/session/link', { token }), 404)
  })

  test('sessions are listed, and end one by one or all but this one', async () => {
    const { address } = await withPassword()
    const visits = [visitor(), visitor(), visitor()]
    for (const each of visits) assertSaid(await each.signIn(address, PASSWORD), 200)
    const [here, second, third] = visits as [Newcomer, Newcomer, Newcomer]
    const listed = async () =>
      (await here.get('/account/sessions')).body.sessions as {
        id: string
        current: boolean
        address: string
      }[]
    const all = await listed()
    assert.equal(all.length, 4)
    assert.equal(all.filter(({ current }) => current).length, 1)
    const id = ((await second.get('/session')).body.session as { id: string }).id
    assertSaid(await here.ask('DELETE', `/account/sessions/${id}`), 200)
    assertSaid(await second.get('/session'), 401, 'signed_out')
    assertSaid(await here.ask('DELETE', `/account/sessions/${id}`), 404, 'not_found')
    assertSaid(await here.ask('DELETE', '/account/sessions'), 200)
    assertSaid(await third.get('/session'), 401, 'signed_out')
    assert.equal((await listed()).length, 1)
    assertSaid(await here.ask('DELETE', '/session'), 200)
    assertSaid(await here.get('/session'), 401, 'signed_out')
  })

  test('a person cannot end a session of another person', async () => {
    const [ada, bob] = [await newPerson(service), await newPerson(service)]
    const [first, other] = [await visitor().enter(service, ada), await visitor().enter(service, bob)]
    const id = ((await first.get('/session')).body.session as { id: string }).id
    assertSaid(await other.ask('DELETE', `/account/sessions/${id}`), 404, 'not_found')
    assertSaid(await first.get('/session'), 200)
  })

  test('requests of other sites are refused, whatever they look like', async () => {
    const person = await newPerson(service)
    const visit = await visitor().enter(service, person)
    const { host } = new URL(service.url)
    const attempts: [Record<string, string>, status: number][] = [
      [{ 'sec-fetch-site': 'cross-site' }, 403],
      [{ 'sec-fetch-site': 'same-site' }, 403],
      [{ 'sec-fetch-site': 'none' }, 403],
      [{ origin: 'https://evil.test' }, 403],
      [{ origin: 'null' }, 403],
      [{ origin: `http://${host}.evil.test` }, 403],
      [{ 'content-type': 'text/plain' }, 415],
      [{ 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ]
    for (const [headers, status] of attempts) {
      const reply = await visit.ask('PATCH', '/account', { name: 'Mallory' }, headers)
      assert.equal(reply.status, status, `${JSON.stringify(headers)} ${reply.text}`)
    }
    const cookie = `postroad_session=${visit.cookies.get('postroad_session')!.value}`
    const bare = await call(`${service.url}/console/api/account`, {
      method: 'PATCH',
      headers: { cookie, 'content-type': 'application/json' },
      body: '{"name":"Mallory"}',
    })
    assertSaid(bare, 403, 'forged')
    assert.equal((await service.store.findPerson({ id: person.id }))!.name, 'Ada')
    for (const headers of [{ origin: `http://${host}` }, { 'sec-fetch-site': 'same-origin' }]) {
      assertSaid(await visit.ask('PATCH', '/account', { name: 'Ada L.' }, headers), 200)
    }
  })

  test('many wrong guesses from elsewhere do not lock out a device with an earlier sign-in', async () => {
    const { address } = await withPassword()
    const own = visitor()
    assertSaid(await own.signIn(address, PASSWORD), 200)
    // Another person has used the device since.
    await own.enter(service, await newPerson(service))
    const guesser = visitor('198.51.100.7')
    const refused = Promise.withResolvers<Reply>()
    const guesses = Array.from({ length: 12 }, async (_, index) => {
      const reply = await guesser.signIn(address, `guess number ${index}`)
      if (reply.status === 429) refused.resolve(reply)
    })
    // The others are kept waiting.
    const { headers } = await inTime(refused.promise, 'a guess that is not looked at')
    assert.ok(Number(headers.get('retry-after')) >= 1)
    void Promise.allSettled(guesses)
    assertSaid(await own.signIn(address, PASSWORD), 200)
  })

  test('a device is throttled separately only for accounts that were used on it', async () => {
    const victim = await withPassword()
    const own = await withPassword()
    const guesser = visitor('198.51.100.8')
    assertSaid(await guesser.signIn(own.address, PASSWORD), 200)
    assert.ok(guesser.cookies.has('postroad_device'))
    const refused = Promise.withResolvers<Reply>()
    // Of the device's own pace ten are looked at at once, and three more wait; an address has five and three.
    const guesses = Array.from({ length: 12 }, async (_, index) => {
      const reply = await guesser.signIn(victim.address, `guess number ${index}`)
      if ((reply.body.error as { code?: string })?.code === 'too_many_attempts') refused.resolve(reply)
    })
    const all = Promise.allSettled(guesses).then(() => null)
    assert.notEqual(await Promise.race([refused.promise, all]), null, 'no guess was refused')
  })

  test('actions that need a fresh proof are refused to an old session until the password is entered again', async (t) => {
    const { address, id } = await withPassword()
    const visit = visitor()
    assertSaid(await visit.signIn(address, PASSWORD), 200)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 16 * 60_000 })
    assertSaid(
      await visit.ask('PUT', '/account/password', { password: 'violins in the marmalade' }),
      403,
      'proof_needed',
    )
    assertSaid(await visit.post('/account/totp'), 403, 'proof_needed')
    assertSaid(await visit.ask('PATCH', '/account', { name: 'Lady Ada' }), 200)
    assertSaid(await visit.post('/account/proof', { password: 'not this one at all' }), 401, 'wrong')
    assertSaid(
      await visit.ask('PUT', '/account/password', { password: 'violins in the marmalade' }),
      403,
      'proof_needed',
    )
    const before = visit.cookies.get('postroad_session')!.value
    assertSaid(await visit.post('/account/proof', { password: PASSWORD }), 200)
    assert.notEqual(visit.cookies.get('postroad_session')!.value, before)
    assertSaid(await visit.ask('PUT', '/account/password', { password: 'violins in the marmalade' }), 200)
    const [last] = await service.store.audit({ companyId: null, limit: 1 })
    assert.deepEqual([last!.actor.id, last!.action, last!.topic], [id, 'endSessions', 'session'])
    const [entry] = await service.store.audit({ companyId: null, topic: 'change', limit: 1 })
    assert.deepEqual(entry!.actor, { kind: 'person', id, name: address })
    assert.equal(entry!.action, 'changePassword')
    assert.deepEqual(entry!.detail, {})
    assert.equal(entry!.done, true)
  })

  test('only operators change their own address, and only to an unused one', async () => {
    const person = await newPerson(service)
    const taken = (await newPerson(service, { operator: true })).address!
    const visit = await visitor().enter(service, person)
    assertSaid(await visit.ask('PATCH', '/account', { address: 'boss@people.test' }), 403, 'not_allowed')
    const operator = await newPerson(service, { operator: true, address: null, name: '' })
    const op = await visitor().enter(service, operator)
    assertSaid(await op.ask('PATCH', '/account', { address: 'nonsense' }), 422, 'invalid')
    assertSaid(await op.ask('PATCH', '/account', { address: taken }), 409, 'already_exists')
    const reply = await op.ask('PATCH', '/account', { address: 'Root@People.test', name: 'Root' })
    assertSaid(reply, 200)
    assert.equal((await service.store.findPerson({ address: 'root@people.test' }))!.id, operator.id)
  })
})
