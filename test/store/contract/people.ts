import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  type ConsoleSession,
  type Credentials,
  type Invitation,
  newPerson,
  type Person,
  type Role,
  type SignInLink,
} from '../../../src/people/person.ts'
import { StoreConflict } from '../../../src/store/store.ts'
import { acme, HOUR, NOW, newId } from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function person(change: Partial<Person> = {}): Person {
  const id = newId()
  return newPerson(NOW, { id, address: `${id}@people.test`, name: 'Ada', ...change })
}

export function sessionOf({ id: personId }: Person, change: Partial<ConsoleSession> = {}): ConsoleSession {
  return {
    ...{ id: newId(), personId, way: 'link', address: '192.0.2.1', userAgent: 'Firefox' },
    ...{ createdAt: NOW, seenAt: NOW, expiresAt: NOW + HOUR },
    ...change,
  }
}

export function linkOf({ id: personId }: Person, change: Partial<SignInLink> = {}): SignInLink {
  return { personId, createdAt: NOW, expiresAt: NOW + HOUR, ...change }
}

export function invitationOf(
  { id: companyId }: { id: string },
  change: Partial<Invitation> = {},
): Invitation {
  const id = newId()
  return {
    ...{ id, companyId, address: `${id}@people.test`, role: 'viewer', createdAt: NOW },
    ...{ inviterId: null, inviterName: null, expiresAt: NOW + HOUR },
    ...change,
  }
}

/** Of some token. */
export function tokenHash(): Uint8Array {
  return createHash('sha256').update(randomBytes(32)).digest()
}

export const CREDENTIALS: Credentials = {
  password: '$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA',
  totp: { sealed: 'c2VhbGVk', lastStep: 57 },
  recoveryCodes: ['Y29kZQ==', 'b3RoZXI='],
  passkeys: [
    {
      ...{
        id: 'a-b',
        publicKey: 'cHVibGlj',
        counter: 3,
        transports: ['usb', 'internal'],
        name: 'key \0 in “it”',
      },
      ...{ createdAt: NOW, usedAt: null },
    },
  ],
  identities: [
    { issuer: 'https://one.test', subject: 'ada' },
    { issuer: 'https://two.test', subject: 'ada' },
  ],
}

const conflict = (message: RegExp) => ({ name: StoreConflict.name, message })

export function peopleContract(open: OpenBench): void {
  describe('people', () => {
    test('are kept as given, and found by id, address and account elsewhere', async (t) => {
      const { store } = await open(t)
      const [one, two] = [await acme(store, 'One'), await acme(store, 'Two')]
      const ada = person({
        ...{ address: 'ada@people.test', operator: true, version: 4, credentials: CREDENTIALS },
        memberships: [
          { companyId: one.id, role: 'owner' },
          { companyId: two.id, role: 'viewer' },
        ],
      })
      const bob = person({ address: null, name: '' })
      for (const each of [ada, bob]) await store.addPerson(each)
      assert.deepEqual(await store.findPerson({ id: ada.id }), ada)
      assert.deepEqual(await store.findPerson({ address: 'ada@people.test' }), ada)
      assert.deepEqual(await store.findPerson({ id: bob.id }), bob)
      assert.deepEqual(await store.findPersonByIdentity('https://two.test', 'ada'), ada)
      assert.equal(await store.findPersonByIdentity('https://two.test', 'bob'), null)
      assert.equal(await store.findPersonByIdentity('ada', 'https://two.test'), null)
      for (const by of [{ id: newId() }, { address: 'nobody@people.test' }, { address: '' }]) {
        assert.equal(await store.findPerson(by), null)
      }
    })

    test('are listed the oldest first, all or those of a company', async (t) => {
      const { store } = await open(t)
      const [one, two] = [await acme(store, 'One'), await acme(store, 'Two')]
      const of = (companyId: string) => [{ companyId, role: 'developer' as const }]
      const young = person({ createdAt: NOW + 1, memberships: of(one.id) })
      const old = person({ createdAt: NOW - 1, memberships: [...of(one.id), ...of(two.id)] })
      const operator = person({ operator: true })
      for (const each of [young, old, operator]) await store.addPerson(each)
      assert.deepEqual(await store.people(null), [old, operator, young])
      assert.deepEqual(await store.people(one.id), [old, young])
      assert.deepEqual(await store.people(two.id), [old])
      assert.deepEqual(await store.people(newId()), [])
    })

    test('an address or an account elsewhere belongs to one person; a refused person leaves nothing behind', async (t) => {
      const { store } = await open(t)
      const ada = person({ address: 'ada@people.test', operator: true, credentials: CREDENTIALS })
      await store.addPerson(ada)
      const [nobody, noone] = [person({ address: null }), person({ address: null })]
      for (const each of [nobody, noone]) await store.addPerson(each)
      await assert.rejects(
        store.addPerson(person({ address: 'ada@people.test' })),
        conflict(/a person with the address ada@people\.test/),
      )
      await assert.rejects(store.addPerson(person({ credentials: CREDENTIALS })), conflict(/another person/))
      const foreign = [{ companyId: newId(), role: 'owner' as const }]
      await assert.rejects(store.addPerson(person({ memberships: foreign })), conflict(/no company/))
      await assert.rejects(
        store.updatePerson(nobody.id, 0, { address: 'ada@people.test', name: 'Not Ada' }),
        conflict(/a person with the address ada@people\.test/),
      )
      await assert.rejects(
        store.updatePerson(nobody.id, 0, { name: 'Not Ada', credentials: CREDENTIALS }),
        conflict(/another person/),
      )
      assert.deepEqual(await store.people(null), [ada, nobody, noone])
    })

    test('a change sets only its fields, and accounts elsewhere are replaced with the credentials', async (t) => {
      const { store } = await open(t)
      const ada = person({ credentials: CREDENTIALS })
      await store.addPerson(ada)
      const stands = async () => (await store.findPerson({ id: ada.id }))!
      assert.equal(await store.updatePerson(ada.id, 0, { address: 'new@people.test', operator: true }), true)
      assert.deepEqual(await stands(), { ...ada, address: 'new@people.test', operator: true, version: 1 })
      const identities = [{ issuer: 'https://two.test', subject: 'ada lovelace' }]
      const credentials = { ...CREDENTIALS, password: null, recoveryCodes: ['b3RoZXI='], identities }
      assert.equal(
        await store.updatePerson(ada.id, 1, {
          name: 'Lady \u{1F98A}',
          credentials,
          alerts: ['rates', 'domains'],
        }),
        true,
      )
      assert.deepEqual(await stands(), {
        ...{ ...ada, address: 'new@people.test', operator: true, version: 2 },
        ...{ name: 'Lady \u{1F98A}', credentials, alerts: ['rates', 'domains'] },
      })
      assert.equal(await store.findPersonByIdentity('https://two.test', 'ada'), null)
      assert.equal((await store.findPersonByIdentity('https://two.test', 'ada lovelace'))?.id, ada.id)
      // Accounts that the person has given up are free for others, and the person may keep the rest.
      await store.addPerson(
        person({ address: ada.address, credentials: { ...CREDENTIALS, ...{ passkeys: [] } } }),
      )
      assert.equal(await store.updatePerson(ada.id, 2, { credentials }), true)
      await assert.rejects(store.updatePerson(ada.id, 3, { operator: false }), StoreConflict)
      await store.addPerson(person({ operator: true }))
      assert.equal(await store.updatePerson(ada.id, 3, { address: null, operator: false }), true)
      assert.deepEqual([(await stands()).address, (await stands()).operator], [null, false])
    })

    test('of many simultaneous changes of one version, on two nodes, one is made', async (t) => {
      const { store, another } = await open(t)
      const stores = [store, await another()]
      const ada = person()
      await store.addPerson(ada)
      const changes = Array.from({ length: 20 }, (_, n) => ({ name: `change ${n}` }))
      const done = await Promise.all(
        changes.map((change, n) => stores[n % 2]!.updatePerson(ada.id, 0, change)),
      )
      assert.equal(done.filter(Boolean).length, 1)
      const stored = (await store.findPerson({ id: ada.id }))!
      assert.deepEqual([stored.version, stored.name], [1, changes[done.indexOf(true)]!.name])
      assert.equal(await store.updatePerson(ada.id, 0, {}), false)
      assert.equal(await store.updatePerson(newId(), 0, { name: 'nobody' }), false)
    })

    test('memberships begin, change and end, each a new version of the person', async (t) => {
      const { store } = await open(t)
      const [one, two] = [await acme(store, 'One'), await acme(store, 'Two')]
      const ada = person()
      await store.addPerson(ada)
      const stands = async () => {
        const { memberships, version } = (await store.findPerson({ id: ada.id }))!
        return [
          version,
          ...memberships.map(({ companyId, role }) => `${companyId === one.id ? 1 : 2} ${role}`),
        ]
      }
      assert.equal(await store.setMembership(ada.id, two.id, 'viewer'), true)
      assert.equal(await store.setMembership(ada.id, one.id, 'owner'), true)
      assert.deepEqual(await stands(), [2, '1 owner', '2 viewer'])
      assert.equal(await store.setMembership(ada.id, two.id, 'developer'), true)
      assert.deepEqual(await stands(), [3, '1 owner', '2 developer'])
      assert.equal(await store.setMembership(ada.id, one.id, null), true)
      assert.deepEqual(await stands(), [4, '2 developer'])
      assert.equal(await store.setMembership(ada.id, newId(), 'owner'), false)
      assert.equal(await store.setMembership(newId(), one.id, 'owner'), false)
      assert.deepEqual(await stands(), [4, '2 developer'])
      assert.equal(await store.updatePerson(ada.id, 3, { name: 'late' }), false)
    })

    test('all memberships become unconfirmed at once, and are confirmed one by one', async (t) => {
      const { store } = await open(t)
      const [one, two] = [await acme(store, 'One'), await acme(store, 'Two')]
      const ada = person({
        memberships: [
          { companyId: one.id, role: 'owner' },
          { companyId: two.id, role: 'viewer' },
        ],
      })
      await store.addPerson(ada)
      const unconfirmed = async () =>
        (await store.findPerson({ id: ada.id }))!.memberships
          .filter((each) => each.unconfirmed)
          .map(({ companyId }) => companyId)
      assert.deepEqual(await unconfirmed(), [])
      assert.equal(await store.updatePerson(ada.id, 0, { doubtMemberships: true }), true)
      assert.deepEqual(await unconfirmed(), [one.id, two.id])
      assert.equal(await store.confirmMembership(ada.id, one.id), true)
      assert.deepEqual(await unconfirmed(), [two.id])
      // Another role is the company's word, and not the person's.
      assert.equal(await store.setMembership(ada.id, two.id, 'developer'), true)
      assert.deepEqual(await unconfirmed(), [two.id])
      assert.equal((await store.findPerson({ id: ada.id }))!.version, 3)
      assert.equal(await store.confirmMembership(ada.id, newId()), false)
      assert.equal(await store.confirmMembership(newId(), one.id), false)
      const { id: foreign } = await acme(store, 'Foreign')
      assert.equal(await store.confirmMembership(ada.id, foreign), false)
      assert.equal((await store.findPerson({ id: ada.id }))!.version, 3, 'nothing was confirmed')
    })

    test('an account without rights and with an unproven address makes room for another', async (t) => {
      const { store } = await open(t)
      const company = await acme(store)
      const address = 'ada@people.test'
      const identity = { issuer: 'https://one.test', subject: 'mallory' }
      const holder = (change: Partial<Person>) => person({ address, ...change })
      const stays: Partial<Person>[] = [
        { operator: true },
        { memberships: [{ companyId: company.id, role: 'viewer' }] },
        { credentials: { ...CREDENTIALS, identities: [{ ...identity, address: 'Ada@people.test' }] } },
      ]
      for (const change of stays) {
        const first = holder(change)
        const operator = person({ operator: true })
        for (const each of [first, operator]) await store.addPerson(each)
        await assert.rejects(
          store.addPerson(holder({})),
          conflict(/a person with the address ada@people\.test/),
        )
        const other = person()
        await store.addPerson(other)
        await assert.rejects(store.updatePerson(other.id, 0, { address }), conflict(/already/))
        assert.deepEqual(await store.findPerson({ address }), first)
        await store.removePerson(first.id)
      }
      // An account elsewhere under another address proves nothing of this one.
      const squatter = holder({
        credentials: { ...CREDENTIALS, identities: [{ ...identity, address: 'mallory@people.test' }] },
      })
      const hash = tokenHash()
      await store.addPerson(squatter)
      await store.addSession(sessionOf(squatter), hash)
      const ada = holder({ memberships: [{ companyId: company.id, role: 'viewer' }] })
      await store.addPerson(ada)
      assert.deepEqual(await store.findPerson({ address }), ada)
      assert.equal(await store.findPerson({ id: squatter.id }), null)
      assert.equal(await store.findSession(hash, NOW), null)
      assert.equal(await store.findPersonByIdentity('https://one.test', 'mallory'), null)
      // So it does for who takes the address, and not for itself.
      assert.equal(await store.setMembership(ada.id, company.id, null), true)
      assert.equal(await store.updatePerson(ada.id, 1, { address }), true)
      const grace = person()
      await store.addPerson(grace)
      assert.equal(await store.updatePerson(grace.id, 0, { address }), true)
      assert.equal(await store.findPerson({ id: ada.id }), null)
    })

    test('of a new membership and a second account with the same address, one succeeds', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const company = await acme(store)
      for (let round = 0; round < 10; round++) {
        const address = `${newId()}@people.test`
        const [first, second] = [person({ address }), person({ address })]
        await store.addPerson(first)
        const [joined, added] = await Promise.allSettled([
          store.setMembership(first.id, company.id, 'owner'),
          other.addPerson(second),
        ])
        const isJoined = joined.status === 'fulfilled' && joined.value
        assert.notEqual(isJoined, added.status === 'fulfilled')
        const holder = await store.findPerson({ address })
        assert.equal(holder?.id, isJoined ? first.id : second.id)
      }
    })

    test('the last owner stays owner, whatever other roles and companies the person has', async (t) => {
      const { store } = await open(t)
      const [one, two] = [await acme(store, 'One'), await acme(store, 'Two')]
      const of = (companyId: string, role: 'owner' | 'viewer') => ({ companyId, role })
      const last = person({ memberships: [of(one.id, 'owner'), of(two.id, 'owner')] })
      const viewer = person({ memberships: [of(one.id, 'viewer'), of(two.id, 'owner')] })
      for (const each of [last, viewer]) await store.addPerson(each)
      const keepOwner = { keepOwner: true }
      for (const role of ['viewer', 'developer', null] as const) {
        await assert.rejects(
          store.setMembership(last.id, one.id, role, keepOwner),
          conflict(/a company needs an owner/),
        )
      }
      assert.deepEqual(await store.findPerson({ id: last.id }), last)
      assert.equal(await store.setMembership(viewer.id, one.id, null, keepOwner), true)
      assert.equal(await store.setMembership(last.id, two.id, 'viewer', keepOwner), true)
    })

    test('of owners demoted at once, on two nodes, one stays if the company needs one', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      for (let round = 0; round < 10; round++) {
        const { id: company } = await acme(store, `Company ${round}`)
        const [ada, eve] = [0, 1].map(() => person({ memberships: [{ companyId: company, role: 'owner' }] }))
        for (const each of [ada!, eve!]) await store.addPerson(each)
        const settled = await Promise.allSettled([
          store.setMembership(ada!.id, company, 'viewer', { keepOwner: true }),
          other.setMembership(eve!.id, company, null, { keepOwner: true }),
        ])
        assert.deepEqual(settled.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
        const refused = settled.find((each) => each.status === 'rejected')!
        assert.ok(refused.reason instanceof StoreConflict)
        const owners = (await store.people(company)).filter(
          ({ memberships }) => memberships[0]!.role === 'owner',
        )
        assert.equal(owners.length, 1)
        // Who goes without a word of it goes.
        assert.equal(await store.setMembership(owners[0]!.id, company, null), true)
      }
    })

    test('the last owner of a company keeps the role, whoever owns other companies', async (t) => {
      const { store } = await open(t)
      const [one, two] = [await acme(store, 'One'), await acme(store, 'Two')]
      const ada = person({
        memberships: [
          { companyId: one.id, role: 'owner' },
          { companyId: two.id, role: 'developer' },
        ],
      })
      const eve = person({
        memberships: [
          { companyId: one.id, role: 'viewer' },
          { companyId: two.id, role: 'owner' },
        ],
      })
      for (const each of [ada, eve]) await store.addPerson(each)
      const set = (who: Person, company: { id: string }, role: Role | null) =>
        store.setMembership(who.id, company.id, role, { keepOwner: true })
      for (const role of ['developer', 'viewer', null] as const) {
        await assert.rejects(set(ada, one, role), StoreConflict, `${role}`)
        await assert.rejects(set(eve, two, role), StoreConflict, `${role}`)
      }
      assert.deepEqual(await store.findPerson({ id: ada.id }), ada)
      // Whoever is no owner may become anything, and the owner an owner again.
      assert.equal(await set(ada, two, 'viewer'), true)
      assert.equal(await set(ada, one, 'owner'), true)
      // Once there is another owner of this company, and not of that one.
      assert.equal(await set(eve, one, 'owner'), true)
      assert.equal(await set(ada, one, 'viewer'), true)
      await assert.rejects(set(eve, two, null), StoreConflict)
      assert.deepEqual((await store.findPerson({ id: ada.id }))!.memberships, [
        { companyId: one.id, role: 'viewer' },
        { companyId: two.id, role: 'viewer' },
      ])
    })

    test('of operators removed at once, on two nodes, one stays', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      for (let round = 0; round < 10; round++) {
        const [ada, eve] = [person({ operator: true }), person({ operator: true })]
        for (const each of [ada, eve]) await store.addPerson(each)
        for (const { id } of await store.people(null)) {
          if (id !== ada.id && id !== eve.id) await store.removePerson(id)
        }
        const settled = await Promise.allSettled([
          store.updatePerson(ada.id, 0, { operator: false }),
          other.removePerson(eve.id),
        ])
        assert.deepEqual(settled.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
        const operators = (await store.people(null)).filter(({ operator }) => operator)
        assert.equal(operators.length, 1)
      }
    })

    test('a removed person leaves neither sessions, links, memberships nor accounts behind', async (t) => {
      const { store, rows } = await open(t)
      const owner = await acme(store)
      const membership = { companyId: owner.id, role: 'owner' as const }
      const ada = person({ credentials: CREDENTIALS, memberships: [membership] })
      const bob = person({ memberships: [membership] })
      const [hash, link] = [tokenHash(), tokenHash()]
      for (const each of [ada, bob]) {
        await store.addPerson(each)
        await store.addSession(sessionOf(each), each === ada ? hash : tokenHash())
        await store.addLink(linkOf(each), each === ada ? link : tokenHash())
      }
      assert.equal(await store.removePerson(ada.id), true)
      assert.equal(await store.removePerson(ada.id), false)
      assert.deepEqual(await store.people(null), [bob])
      assert.equal(await store.findSession(hash, NOW), null)
      assert.equal(await store.takeLink(link, NOW), null)
      const left = ['people', 'memberships', 'identities', 'sessions', 'sign_in_links'].map(rows)
      assert.deepEqual(await Promise.all(left), [1, 1, 0, 1, 1])
      await assert.rejects(store.addSession(sessionOf(ada), tokenHash()), conflict(/no person/))
      await assert.rejects(store.addLink(linkOf(ada), tokenHash()), conflict(/no person/))
      await store.addPerson(ada)
    })

    test('a person who is being removed gets no session and no membership that stays', async (t) => {
      const { store, another, rows } = await open(t)
      const stores = [store, await another()]
      const owner = await acme(store)
      for (let round = 0; round < 10; round++) {
        const ada = person({ credentials: CREDENTIALS })
        await store.addPerson(ada)
        const all = Array.from({ length: 4 }, (_, n) => stores[n % 2]!).flatMap((each) => [
          each.addSession(sessionOf(ada), tokenHash()),
          each.setMembership(ada.id, owner.id, 'viewer'),
          each.updatePerson(ada.id, 0, { credentials: { ...CREDENTIALS, password: null } }),
        ])
        all.splice(5, 0, stores[1]!.removePerson(ada.id))
        for (const ended of await Promise.allSettled(all)) {
          if (ended.status === 'rejected')
            assert.match(String(ended.reason), /StoreConflict: There is no person/)
        }
        const left = ['people', 'memberships', 'identities', 'sessions'].map(rows)
        assert.deepEqual(await Promise.all(left), [0, 0, 0, 0])
      }
    })
  })
}
