import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { INVITATION_RENEWABLE_MS } from '../../../src/people/person.ts'
import { acme, HOUR, NOW, newId } from '../samples.ts'
import type { OpenBench } from './contract.ts'
import { CREDENTIALS, invitationOf, linkOf, person, sessionOf, tokenHash } from './people.ts'

export function sessionsContract(open: OpenBench): void {
  describe('sessions of people', () => {
    test('are found by the hash of their token, with the current person, until they expire', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const ada = person({ credentials: CREDENTIALS, memberships: [{ companyId: owner.id, role: 'owner' }] })
      await store.addPerson(ada)
      const session = sessionOf(ada, { way: 'passkey', userAgent: 'Firefox “140”', seenAt: NOW + 5 })
      const hash = tokenHash()
      await store.addSession(session, hash)
      await store.addSession(sessionOf(ada), tokenHash())
      assert.deepEqual(await store.findSession(hash, NOW), { session, person: ada })
      await store.updatePerson(ada.id, 0, { name: 'Lady' })
      await store.setMembership(ada.id, owner.id, null)
      const now = { ...ada, name: 'Lady', version: 2, memberships: [] }
      assert.deepEqual(await store.findSession(hash, NOW + HOUR - 1), { session, person: now })
      assert.equal(await store.findSession(hash, NOW + HOUR), null)
      assert.equal(await store.findSession(tokenHash(), NOW), null)
      assert.equal(await store.findSession(hash.subarray(0, 31), NOW), null)
    })

    test('note their use, and then end later, never earlier', async (t) => {
      const { store } = await open(t)
      const ada = person()
      await store.addPerson(ada)
      const [session, other] = [sessionOf(ada), sessionOf(ada)]
      for (const each of [session, other]) await store.addSession(each, tokenHash())
      await store.touchSession(session.id, NOW + 5, NOW + 2 * HOUR)
      const seen = { ...session, seenAt: NOW + 5, expiresAt: NOW + 2 * HOUR }
      assert.deepEqual(await store.sessions(ada.id, NOW), [seen, other])
      // Of two nodes, the one that was behind.
      await store.touchSession(session.id, NOW + 4, NOW + HOUR)
      assert.deepEqual(await store.sessions(ada.id, NOW + HOUR), [seen])
      await store.touchSession(newId(), NOW, NOW)
    })

    test('are listed, the latest used first, and ended one by one or all the others', async (t) => {
      const { store } = await open(t)
      const [ada, bob] = [person(), person()]
      for (const each of [ada, bob]) await store.addPerson(each)
      const hashes = [tokenHash(), tokenHash(), tokenHash(), tokenHash()] as const
      const [first, second, third] = [1, 3, 2].map((n) => sessionOf(ada, { seenAt: NOW + n }))
      const his = sessionOf(bob)
      for (const [n, each] of [first!, second!, third!, his].entries()) {
        await store.addSession(each, hashes[n]!)
      }
      const gone = sessionOf(ada, { expiresAt: NOW })
      await store.addSession(gone, tokenHash())
      assert.deepEqual(await store.sessions(ada.id, NOW), [second, third, first])
      assert.equal(await store.endSessions(ada.id, { id: his.id }), 0)
      assert.equal(await store.endSessions(ada.id, { id: third!.id }), 1)
      assert.equal(await store.endSessions(ada.id, { id: third!.id }), 0)
      assert.deepEqual(await store.sessions(ada.id, NOW), [second, first])
      assert.equal(await store.findSession(hashes[2], NOW), null)
      assert.equal(await store.endSessions(ada.id, { except: first!.id }), 2)
      assert.deepEqual(await store.sessions(ada.id, NOW), [first])
      assert.equal(await store.endSessions(ada.id, { except: null }), 1)
      assert.deepEqual(await store.sessions(ada.id, NOW), [])
      assert.deepEqual(await store.sessions(bob.id, NOW), [his])
    })

    test('end with the links of their person, and with those of no other person', async (t) => {
      const { store } = await open(t)
      const [ada, bob] = [person(), person()]
      for (const each of [ada, bob]) await store.addPerson(each)
      const [hers, later, his] = [tokenHash(), tokenHash(), tokenHash()]
      for (const hash of [hers, later]) await store.addLink(linkOf(ada), hash)
      await store.addLink(linkOf(bob), his)
      const session = sessionOf(ada)
      await store.addSession(session, tokenHash())
      // One session alone leaves the links.
      await store.endSessions(ada.id, { id: session.id })
      assert.equal(await store.takeLink(later, NOW), ada.id)
      await store.endSessions(ada.id, { except: null })
      assert.equal(await store.takeLink(hers, NOW), null)
      assert.equal(await store.takeLink(his, NOW), bob.id)
    })

    test('a link works once, even for many simultaneous requests on two nodes', async (t) => {
      const { store, another } = await open(t)
      const stores = [store, await another()]
      const ada = person()
      await store.addPerson(ada)
      const [hash, other] = [tokenHash(), tokenHash()]
      for (const each of [hash, other]) await store.addLink(linkOf(ada), each)
      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, n) => stores[n % 2]!.takeLink(hash, NOW)),
      )
      assert.deepEqual(
        taken.filter((id) => id !== null),
        [ada.id],
      )
      assert.equal(await store.takeLink(hash, NOW), null)
      assert.equal(await store.takeLink(tokenHash(), NOW), null)
      assert.equal(await store.takeLink(other, NOW + HOUR - 1), ada.id)
    })

    test('an expired link does not sign in', async (t) => {
      const { store } = await open(t)
      const ada = person()
      await store.addPerson(ada)
      const hash = tokenHash()
      await store.addLink(linkOf(ada), hash)
      assert.equal(await store.takeLink(hash, NOW + HOUR), null)
      assert.equal(await store.takeLink(hash, NOW), null)
    })

    test('an invitation works once, even for many simultaneous requests on two nodes', async (t) => {
      const { store, another } = await open(t)
      const stores = [store, await another()]
      const invitation = invitationOf(await acme(store))
      const hash = tokenHash()
      await store.addInvitation(invitation, hash)
      assert.deepEqual(await store.findInvitation(hash, NOW), invitation)
      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, n) => stores[n % 2]!.takeInvitation(hash, NOW)),
      )
      assert.deepEqual(
        taken.filter((each) => each !== null),
        [invitation],
      )
      assert.equal(await store.findInvitation(hash, NOW), null)
      assert.equal(await store.findInvitation(tokenHash(), NOW), null)
    })

    test('a company has one invitation of an address, and loses only its own', async (t) => {
      const { store } = await open(t)
      const [one, two] = [await acme(store, 'One'), await acme(store, 'Two')]
      const [old, fresh, foreign] = [tokenHash(), tokenHash(), tokenHash()]
      const address = 'ada@people.test'
      const invitation = invitationOf(one, { address, role: 'owner', createdAt: NOW + 1 })
      const theirs = invitationOf(two, { address })
      await store.addInvitation(invitationOf(one, { address }), old)
      await store.addInvitation(theirs, foreign)
      await store.addInvitation(invitation, fresh)
      assert.equal(await store.findInvitation(old, NOW), null)
      assert.equal(await store.takeInvitation(old, NOW), null)
      assert.deepEqual(await store.invitations(one.id, NOW), [invitation])
      assert.deepEqual(await store.invitations(null, NOW), [theirs, invitation])
      assert.deepEqual(await store.invitations(newId(), NOW), [])
      assert.equal(await store.removeInvitation(two.id, invitation.id), false)
      assert.equal(await store.removeInvitation(one.id, invitation.id), true)
      assert.equal(await store.removeInvitation(one.id, invitation.id), false)
      assert.deepEqual(await store.invitations(null, NOW), [theirs])
      await assert.rejects(store.addInvitation(invitationOf({ id: newId() }), tokenHash()), {
        name: 'StoreConflict',
      })
    })

    test('an expired invitation does not work', async (t) => {
      const { store } = await open(t)
      const hash = tokenHash()
      const owner = await acme(store)
      await store.addInvitation(invitationOf(owner), hash)
      assert.deepEqual(await store.invitations(owner.id, NOW + HOUR), [])
      assert.equal(await store.findInvitation(hash, NOW + HOUR), null)
      assert.equal(await store.takeInvitation(hash, NOW + HOUR), null)
      // It can be renewed for a while.
      const renewable = NOW + HOUR + INVITATION_RENEWABLE_MS
      assert.equal(await store.forgetExpired(renewable - 1, 10), 0)
      assert.equal((await store.invitations(owner.id, NOW)).length, 1)
      assert.equal(await store.forgetExpired(renewable, 10), 1)
      assert.deepEqual(await store.invitations(owner.id, NOW), [])
    })

    test('an invitation ends with the right of its inviter, and does not come back with it', async (t) => {
      const { store, another } = await open(t)
      const [one, two] = [await acme(store, 'One'), await acme(store, 'Two')]
      const owner = ({ id: companyId }: { id: string }) => ({ companyId, role: 'owner' as const })
      const [ada, bob, olga] = [
        person({ memberships: [owner(one), owner(two)] }),
        person({ memberships: [owner(one)] }),
        person({ operator: true, memberships: [owner(two)] }),
      ]
      for (const each of [ada, bob, olga, person({ operator: true })]) await store.addPerson(each)
      const made: Uint8Array[] = []
      const add = async (company: { id: string }, { id: inviterId }: { id: string }) => {
        const hash = tokenHash()
        const invitation = invitationOf(company, { inviterId, inviterName: 'somebody' })
        await store.addInvitation(invitation, hash)
        made.push(hash)
        return invitation
      }
      const ofAda = await add(one, ada)
      assert.deepEqual(await store.findInvitation(made[0]!, NOW), ofAda)
      const stays = [await add(two, ada)]
      for (const each of [bob, olga]) await add(one, each)
      stays.push(await add(two, olga))
      const count = async () => (await store.invitations(one.id, NOW)).length
      assert.equal(await count(), 3)
      await store.setMembership(ada.id, one.id, 'developer')
      assert.equal(await count(), 2)
      await store.setMembership(bob.id, one.id, null)
      assert.equal(await count(), 1)
      await store.updatePerson(olga.id, 0, { operator: false })
      assert.equal(await count(), 0)
      // What they may still do stands.
      assert.deepEqual(
        (await store.invitations(two.id, NOW)).map(({ id }) => id).sort(),
        stays.map(({ id }) => id).sort(),
      )
      for (const each of [ada, bob]) await store.setMembership(each.id, one.id, 'owner')
      await store.updatePerson(olga.id, 1, { operator: true })
      assert.equal(await count(), 0)
      const { id: personId } = person()
      for (const hash of [made[0]!, made[2]!, made[3]!]) {
        assert.equal(await store.findInvitation(hash, NOW), null)
        assert.equal(await (await another()).acceptInvitation(hash, NOW, { personId }), null)
      }
      for (const each of [ada, olga]) await store.removePerson(each.id)
      assert.deepEqual(await store.invitations(null, NOW), [])
    })

    test('a person without the right cannot invite, even if the right is lost at this moment', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const [one, two] = [await acme(store, 'One'), await acme(store, 'Two')]
      const of = (role: 'owner' | 'developer') => [{ companyId: one.id, role }]
      const developer = person({ memberships: of('developer') })
      await store.addPerson(developer)
      for (const inviterId of [developer.id, newId()]) {
        const add = store.addInvitation(invitationOf(one, { inviterId }), tokenHash())
        await assert.rejects(add, { name: 'StoreConflict', message: /only an owner/ })
      }
      for (let round = 0; round < 10; round++) {
        const ada = person({ memberships: of('owner') })
        await store.addPerson(ada)
        await assert.rejects(store.addInvitation(invitationOf(two, { inviterId: ada.id }), tokenHash()))
        await Promise.allSettled([
          store.addInvitation(invitationOf(one, { inviterId: ada.id }), tokenHash()),
          other.setMembership(ada.id, one.id, 'viewer'),
        ])
        assert.deepEqual(await store.invitations(null, NOW), [])
      }
    })

    test('an invitation is accepted in one commit, by a new person or by one with an account', async (t) => {
      const { store, another } = await open(t)
      const [one, two] = [await acme(store, 'One'), await acme(store, 'Two')]
      const address = 'ada@people.test'
      const add = async (company: { id: string }, role: 'viewer' | 'owner') => {
        const hash = tokenHash()
        const invitation = invitationOf(company, { address, role })
        await store.addInvitation(invitation, hash)
        return { hash, invitation }
      }
      const ada = person({ address })
      const first = await add(one, 'viewer')
      assert.deepEqual(await store.acceptInvitation(first.hash, NOW, { newPerson: ada }), first.invitation)
      assert.equal(await store.acceptInvitation(first.hash, NOW, { newPerson: ada }), null)
      const second = await add(two, 'owner')
      await assert.rejects(
        store.acceptInvitation(second.hash, NOW, { newPerson: person({ address }) }),
        /a person with the address ada@people\.test/,
      )
      await assert.rejects(store.acceptInvitation(second.hash, NOW, { personId: newId() }), /no person/)
      const stores = [store, await another()]
      const accepted = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          stores[n % 2]!.acceptInvitation(second.hash, NOW, { personId: ada.id }),
        ),
      )
      assert.deepEqual(
        accepted.filter((each) => each !== null),
        [second.invitation],
      )
      const { memberships, version } = (await store.findPerson({ address }))!
      assert.equal(version, 1)
      assert.deepEqual(
        memberships.map(({ companyId, role }) => [companyId === one.id ? 1 : 2, role]).sort(),
        [
          [1, 'viewer'],
          [2, 'owner'],
        ],
      )
      const late = await add(one, 'owner')
      assert.equal(await store.acceptInvitation(late.hash, NOW + HOUR, { personId: ada.id }), null)
    })

    test('the person of a link can be read without using the link', async (t) => {
      const { store } = await open(t)
      const ada = person()
      await store.addPerson(ada)
      const hash = tokenHash()
      await store.addLink(linkOf(ada), hash)
      for (let times = 0; times < 2; times++) assert.equal(await store.findLink(hash, NOW), ada.id)
      assert.equal(await store.findLink(hash, NOW + HOUR), null)
      assert.equal(await store.findLink(tokenHash(), NOW), null)
      assert.equal(await store.takeLink(hash, NOW), ada.id)
      assert.equal(await store.findLink(hash, NOW), null)
    })

    test('expired entries are removed, a limited number of each in one step', async (t) => {
      const { store, rows } = await open(t)
      const ada = person()
      await store.addPerson(ada)
      const [hash, owner] = [tokenHash(), await acme(store)]
      for (const expiresAt of [NOW, NOW - 1, NOW - 2]) {
        await store.addInvitation(invitationOf(owner, { expiresAt }), tokenHash())
        await store.addSession(sessionOf(ada, { expiresAt }), tokenHash())
        await store.addLink(linkOf(ada, { expiresAt }), tokenHash())
        await store.beginAttempt([{ lane: newId(), free: 1, every: 5 }], expiresAt - 5, 0)
      }
      const stays = sessionOf(ada, { expiresAt: NOW + 1 })
      await store.addSession(stays, tokenHash())
      await store.addLink(linkOf(ada, { expiresAt: NOW + 1 }), hash)
      await store.addInvitation(invitationOf(owner, { expiresAt: NOW + 1 }), tokenHash())
      await store.beginAttempt([{ lane: 'stays', free: 1, every: 6 }], NOW - 5, 0)
      // Expired invitations can be renewed for a while.
      assert.equal(await store.forgetExpired(NOW, 2), 6)
      const left = ['sessions', 'sign_in_links', 'invitations', 'sign_in_attempts'].map(rows)
      assert.deepEqual(await Promise.all(left), [2, 2, 4, 2])
      assert.equal(await store.forgetExpired(NOW, 2), 3)
      assert.equal(await store.forgetExpired(NOW, 2), 0)
      assert.deepEqual(await store.sessions(ada.id, 0), [stays])
      assert.equal(await store.takeLink(hash, NOW), ada.id)
    })
  })
}
