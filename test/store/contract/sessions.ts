import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { acme, HOUR, NOW, newId } from '../samples.ts'
import type { OpenBench } from './contract.ts'
import { CREDENTIALS, invitationOf, linkOf, person, sessionOf, tokenHash } from './people.ts'

export function sessionsContract(open: OpenBench): void {
  describe('sessions of people', () => {
    test('are found by the hash of their token, with the person as he is then, until they expire', async (t) => {
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

    test('in use they are seen, and end later, never earlier', async (t) => {
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

    test('are listed, those that were used last first, and ended one by one or all the others', async (t) => {
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

    test('a link is taken once, of however many who ask at once on two nodes', async (t) => {
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

    test('a link that has expired signs nobody in', async (t) => {
      const { store } = await open(t)
      const ada = person()
      await store.addPerson(ada)
      const hash = tokenHash()
      await store.addLink(linkOf(ada), hash)
      assert.equal(await store.takeLink(hash, NOW + HOUR), null)
      assert.equal(await store.takeLink(hash, NOW), null)
    })

    test('an invitation is taken once, of however many who ask at once on two nodes', async (t) => {
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

    test('an invitation that has expired brings nobody in', async (t) => {
      const { store } = await open(t)
      const hash = tokenHash()
      const owner = await acme(store)
      await store.addInvitation(invitationOf(owner), hash)
      assert.deepEqual(await store.invitations(owner.id, NOW + HOUR), [])
      assert.equal(await store.findInvitation(hash, NOW + HOUR), null)
      assert.equal(await store.takeInvitation(hash, NOW + HOUR), null)
    })

    test('what has expired is removed, so many of each in one step', async (t) => {
      const { store, rows } = await open(t)
      const ada = person()
      await store.addPerson(ada)
      const [hash, owner] = [tokenHash(), await acme(store)]
      for (const expiresAt of [NOW, NOW - 1, NOW - 2]) {
        await store.addInvitation(invitationOf(owner, { expiresAt }), tokenHash())
        await store.addSession(sessionOf(ada, { expiresAt }), tokenHash())
        await store.addLink(linkOf(ada, { expiresAt }), tokenHash())
      }
      const stays = sessionOf(ada, { expiresAt: NOW + 1 })
      await store.addSession(stays, tokenHash())
      await store.addLink(linkOf(ada, { expiresAt: NOW + 1 }), hash)
      await store.addInvitation(invitationOf(owner, { expiresAt: NOW + 1 }), tokenHash())
      assert.equal(await store.forgetExpired(NOW, 2), 6)
      const left = ['sessions', 'sign_in_links', 'invitations'].map(rows)
      assert.deepEqual(await Promise.all(left), [2, 2, 2])
      assert.equal(await store.forgetExpired(NOW, 2), 3)
      assert.equal(await store.forgetExpired(NOW, 2), 0)
      assert.deepEqual(await store.sessions(ada.id, 0), [stays])
      assert.equal(await store.takeLink(hash, NOW), ada.id)
    })
  })
}
