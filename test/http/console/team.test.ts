/** The people of a company through the API of the console: their rights, and facts that stay hidden. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Company } from '../../../src/accounts/account.ts'
import type { Membership, Role } from '../../../src/people/person.ts'
import { type Service, startService } from '../../support/service.ts'
import { call, type Reply } from '../requests.ts'
import { Visitor } from './visitor.ts'

interface Team {
  members: { id: string; address: string; role: Role }[]
  invitations: { id: string; address: string; role: Role }[]
}

describe('the team of a company', () => {
  let service: Service
  let acme: Company
  let beta: Company
  let owner: Visitor
  let operator: Visitor
  before(async () => {
    service = await startService()
    acme = await service.company('Team Acme')
    beta = await service.company('Team Beta')
    owner = await member({ [acme.id]: 'owner' })
    operator = await Visitor.signIn(service, 'operator')
  })
  after(() => service.close())

  function member(roles: Record<string, Role>): Promise<Visitor> {
    const of: Membership[] = Object.entries(roles).map(([companyId, role]) => ({ companyId, role }))
    return Visitor.signIn(service, of)
  }

  const teamOf = ({ id }: Company) => `/companies/${id}/team`
  const code = ({ body }: Reply) => (body as { error?: { code: string } }).error?.code
  const ok = (reply: Reply, status = 200) => assert.equal(reply.status, status, reply.text)

  async function team(company = acme): Promise<Team> {
    const reply = await operator.ask('GET', teamOf(company))
    ok(reply)
    return reply.body as unknown as Team
  }

  async function invite(address: string, role: Role, { by = owner, to = acme } = {}): Promise<string> {
    const reply = await by.ask('POST', `${teamOf(to)}/invitations`, { address, role })
    ok(reply, 201)
    const [, token] = /#token=([\w-]{43})$/.exec(String(reply.body.link)) ?? []
    assert.ok(token)
    return token
  }

  /** As the page uses the link, with the cookie of the person signed in there. */
  function open(token: string, cookie = '', more: { path?: string; instead?: boolean } = {}): Promise<Reply> {
    const { path = '', ...body } = more
    return call(`${service.url}/console/api/session/link${path}`, {
      method: 'POST',
      headers: { 'x-postroad-console': '1', 'content-type': 'application/json', ...(cookie && { cookie }) },
      body: JSON.stringify({ token, ...body }),
    })
  }

  const cookieOf = (reply: Reply) => String(reply.headers.get('set-cookie')).split(';')[0]!
  const read = (token: string, cookie = '') => open(token, cookie, { path: '/read' })

  let serial = 0
  const newAddress = () => `new${serial++}@people.test`

  test('an invited person belongs to it only after using the link', async () => {
    const address = newAddress()
    const token = await invite(address.toUpperCase(), 'developer')
    const before = await team()
    assert.deepEqual(
      before.invitations.map((each) => [each.address, each.role]),
      [[address, 'developer']],
    )
    assert.ok(!before.members.some((each) => each.address === address))
    const reply = await open(token)
    ok(reply)
    assert.deepEqual(reply.body.companies, [{ id: acme.id, name: acme.name, role: 'developer', logo: null }])
    const then = await team()
    assert.deepEqual(then.invitations, [])
    assert.ok(then.members.some((each) => each.address === address && each.role === 'developer'))
    assert.equal((await open(token)).status, 404)
    const again = await owner.ask('POST', `${teamOf(acme)}/invitations`, { address, role: 'viewer' })
    assert.deepEqual([again.status, code(again)], [409, 'already_exists'])
  })

  test('an inviter does not learn whether the address has an account, and cannot sign in as its holder', async () => {
    const known = await member({ [beta.id]: 'viewer' })
    const answers = await Promise.all(
      [known.person.address!, newAddress()].map(async (address) => {
        const reply = await owner.ask('POST', `${teamOf(acme)}/invitations`, { address, role: 'viewer' })
        const { invitation, link } = reply.body as { invitation: object; link: string }
        return [reply.status, Object.keys(reply.body), Object.keys(invitation), link.length]
      }),
    )
    assert.deepEqual(answers[0], answers[1])
    const token = await invite(known.person.address!, 'viewer')
    for (const cookie of ['', owner.cookie]) {
      const refused = await open(token, cookie)
      assert.deepEqual([refused.status, code(refused)], [409, 'conflict'])
      assert.equal(refused.headers.get('set-cookie'), null)
    }
    // Its owner, who has signed in, belongs to both then, and stays signed in as before.
    const reply = await open(token, known.cookie)
    ok(reply)
    assert.equal(reply.headers.get('set-cookie'), null)
    ok(await known.ask('GET', '/session'))
    // Each company is shown the role in it alone, whichever comes first.
    const roles = ['developer', 'owner'] as const
    for (const role of roles) {
      await service.store.setMembership(known.person.id, acme.id, role)
      const shown = (await team()).members.find(({ id }) => id === known.person.id)
      assert.equal(shown?.role, role)
    }
    const inBeta = (await team(beta)).members.find(({ id }) => id === known.person.id)
    assert.equal(inBeta?.role, 'viewer')
    const companies = reply.body.companies as { id: string }[]
    assert.deepEqual(companies.map(({ id }) => id).sort(), [acme.id, beta.id].sort())
    await owner.ask('DELETE', `${teamOf(acme)}/${known.person.id}`)
  })

  test('an account made with one company’s link does not join another by an invitation alone', async () => {
    const address = newAddress()
    const other = await member({ [beta.id]: 'owner' })
    const taken = await open(await invite(address, 'viewer', { by: other, to: beta }))
    const token = await invite(address, 'owner')
    const me = await call(`${service.url}/console/api/session`, {
      headers: { cookie: cookieOf(taken) },
    })
    assert.deepEqual(me.body.companies, [{ id: beta.id, name: beta.name, role: 'viewer', logo: null }])
    const { id } = (await team()).invitations.find((each) => each.address === address)!
    ok(await owner.ask('DELETE', `${teamOf(acme)}/invitations/${id}`))
    assert.equal((await open(token)).status, 404)
  })

  test('a repeated invitation replaces the earlier one', async () => {
    const address = newAddress()
    const [old, fresh] = [await invite(address, 'viewer'), await invite(address, 'owner')]
    assert.equal((await open(old)).status, 404)
    const reply = await open(fresh)
    assert.equal((reply.body.companies as { role: string }[])[0]?.role, 'owner')
    const { id } = (await team()).members.find((each) => each.address === address)!
    ok(await owner.ask('DELETE', `${teamOf(acme)}/${id}`))
  })

  test('an invitation shows the inviter, the address and the role, and reading it or declining it for others does not use it up', async () => {
    const address = newAddress()
    const token = await invite(address, 'developer')
    const shown = await read(token)
    ok(shown)
    const { invitation, ...rest } = shown.body as { invitation: { expiresAt: string } }
    assert.deepEqual(rest, { kind: 'invitation', name: address, signedInAs: null, isOwn: false })
    const { expiresAt, ...said } = invitation
    assert.deepEqual(said, { company: acme.name, role: 'developer', inviter: owner.person.address })
    assert.ok(Date.parse(expiresAt) > Date.now())
    const other = await read(token, operator.cookie)
    assert.deepEqual([other.body.signedInAs, other.body.isOwn], [operator.person.address, false])
    assert.equal(await service.store.findPerson({ address }), null)
    const listed = (await team()).invitations.find((each) => each.address === address)!
    assert.equal((listed as { inviter?: string }).inviter, owner.person.address)
    ok(await open(token, '', { path: '/decline' }))
    for (const path of ['', '/read', '/decline']) {
      assert.equal((await open(token, '', { path })).status, 404, path)
    }
    const [entry] = await service.store.audit({ companyId: acme.id, action: 'declineInvitation', limit: 1 })
    assert.deepEqual([entry!.actor.name, entry!.target], [address, address])
  })

  test('a link for another person ends no session without consent', async () => {
    const bob = await member({ [beta.id]: 'viewer' })
    const eve = await member({ [beta.id]: 'viewer' })
    const made = await operator.ask('POST', `/installation/people/${eve.person.id}/link`)
    const signIn = String(made.body.link).split('=')[1]!
    const shown = await read(signIn, bob.cookie)
    assert.deepEqual(shown.body, {
      ...{ kind: 'sign-in', name: eve.person.address, invitation: null },
      ...{ signedInAs: bob.person.address, isOwn: false },
    })
    const invited = await invite(newAddress(), 'viewer')
    for (const token of [signIn, invited]) {
      const refused = await open(token, bob.cookie)
      assert.deepEqual([refused.status, code(refused)], [409, 'conflict'])
      assert.equal(refused.headers.get('set-cookie'), null)
      ok(await bob.ask('GET', '/session'))
    }
    const instead = await open(signIn, bob.cookie, { instead: true })
    ok(instead)
    assert.equal((instead.body.person as { id: string }).id, eve.person.id)
    assert.equal((await bob.ask('GET', '/session')).status, 401)
  })

  test('a removed or demoted owner does not return with an earlier invitation', async () => {
    for (const end of ['DELETE', 'PATCH']) {
      const company = await service.company(`Team ended ${end}`)
      const first = await member({ [company.id]: 'owner' })
      const bad = await member({ [company.id]: 'owner' })
      const token = await invite(newAddress(), 'owner', { by: bad, to: company })
      const one = `${teamOf(company)}/${bad.person.id}`
      ok(await first.ask(end, one, end === 'PATCH' ? { role: 'viewer' } : undefined))
      assert.deepEqual((await team(company)).invitations, [])
      assert.equal((await read(token)).status, 404)
      assert.equal((await open(token)).status, 404)
      // Neither when the right comes back.
      await service.store.setMembership(bad.person.id, company.id, 'owner')
      assert.equal((await open(token)).status, 404)
    }
  })

  test('accepting another person’s invitation does not block the holder of the address', async () => {
    const address = newAddress()
    const bad = await member({ [beta.id]: 'owner' })
    const squatter = cookieOf(await open(await invite(address, 'viewer', { by: bad, to: beta })))
    const taken = await invite(address, 'developer')
    // It stands as long as the account belongs to something.
    assert.equal((await open(taken)).status, 409)
    const { id } = (await team(beta)).members.find((each) => each.address === address)!
    ok(await bad.ask('DELETE', `${teamOf(beta)}/${id}`))
    const reply = await open(taken)
    ok(reply)
    const holder = reply.body.person as { id: string; password: boolean }
    assert.notEqual(holder.id, id)
    assert.deepEqual(reply.body.companies, [{ id: acme.id, name: acme.name, role: 'developer', logo: null }])
    const gone = await call(`${service.url}/console/api/session`, { headers: { cookie: squatter } })
    assert.equal(gone.status, 401)
    // Of the account before nothing is left to sign in with.
    assert.equal(holder.password, false)
    ok(await owner.ask('DELETE', `${teamOf(acme)}/${holder.id}`))
    // So it is for operators, who make one under this address.
    const made = await operator.ask('POST', '/installation/people', { address })
    ok(made, 201)
    await service.store.removePerson(String(made.body.id))
  })

  test('sign-ins are shown only to companies whose membership the person has confirmed', async () => {
    const both = await member({ [acme.id]: 'viewer', [beta.id]: 'viewer' })
    const { id } = both.person
    assert.ok(await service.store.updatePerson(id, 0, { doubtMemberships: true }))
    const signIns = async ({ id: companyId }: Company) =>
      (await service.store.audit({ companyId, topic: 'session', limit: 50 })).filter(
        ({ actor }) => actor.id === id,
      ).length
    const enter = async () => {
      const made = await operator.ask('POST', `/installation/people/${id}/link`)
      ok(await open(String(made.body.link).split('=')[1]!))
    }
    await enter()
    assert.deepEqual([await signIns(acme), await signIns(beta)], [0, 0])
    interface Account {
      memberships: { company: { id: string }; confirmed: boolean }[]
    }
    const account = async () => (await both.ask('GET', '/account')).body as unknown as Account
    // A name that changes the direction of the text around it could pose as another in lists and in the audit.
    const { body } = await both.ask('PATCH', '/account', { name: 'Ann\u202e\n Bo\u2069' })
    assert.equal((body.person as { name: string }).name, 'Ann Bo')
    assert.ok((await account()).memberships.every(({ confirmed }) => !confirmed))
    ok(await both.ask('POST', `/account/memberships/${acme.id}`))
    await enter()
    assert.deepEqual([await signIns(acme), await signIns(beta)], [1, 0])
    // Of two companies one leaves the one, and not the other.
    ok(await both.ask('DELETE', `/account/memberships/${beta.id}`))
    for (const method of ['POST', 'DELETE']) {
      assert.equal((await both.ask(method, `/account/memberships/${beta.id}`)).status, 404)
    }
    assert.deepEqual(
      (await account()).memberships.map(({ company, confirmed }) => [company.id, confirmed]),
      [[acme.id, true]],
    )
    const alone = await service.company('Team Epsilon')
    const last = await member({ [alone.id]: 'owner' })
    const kept = await last.ask('DELETE', `/account/memberships/${alone.id}`)
    assert.deepEqual([kept.status, code(kept)], [409, 'conflict'])
  })

  test('an invalid address or role is refused', async () => {
    for (const body of [
      { address: 'nobody', role: 'viewer' },
      { address: 'a@b.test, c@d.test', role: 'viewer' },
      { address: newAddress(), role: 'king' },
      { address: newAddress() },
    ]) {
      const reply = await owner.ask('POST', `${teamOf(acme)}/invitations`, body)
      assert.deepEqual([reply.status, code(reply)], [422, 'invalid'], JSON.stringify(body))
    }
  })

  test('another role counts from the next request on, and a removal ends the sessions', async () => {
    const viewer = await member({ [acme.id]: 'viewer', [beta.id]: 'viewer' })
    const add = () => viewer.ask('POST', `/companies/${acme.id}/keys`, { name: 'k', scopes: ['sending'] })
    assert.equal((await add()).status, 403)
    ok(await owner.ask('PATCH', `${teamOf(acme)}/${viewer.person.id}`, { role: 'developer' }))
    assert.equal((await add()).status, 201)
    ok(await owner.ask('DELETE', `${teamOf(acme)}/${viewer.person.id}`))
    const gone = await add()
    assert.deepEqual([gone.status, code(gone)], [404, 'not_found'])
    // The memberships in other companies stay.
    ok(await viewer.ask('GET', teamOf(beta)))
    const twice = await owner.ask('DELETE', `${teamOf(acme)}/${viewer.person.id}`)
    assert.equal(twice.status, 404)
  })

  test('a company keeps an owner, unless an operator removes the last one', async () => {
    const company = await service.company('Team Gamma')
    const last = await member({ [company.id]: 'owner' })
    const itself = `${teamOf(company)}/${last.person.id}`
    for (const reply of [
      await last.ask('PATCH', itself, { role: 'viewer' }),
      await last.ask('DELETE', itself),
    ]) {
      assert.deepEqual([reply.status, code(reply)], [409, 'conflict'])
    }
    const second = await member({ [company.id]: 'owner' })
    ok(await last.ask('PATCH', itself, { role: 'viewer' }))
    ok(await operator.ask('DELETE', `${teamOf(company)}/${second.person.id}`))
    assert.deepEqual(
      (await team(company)).members.map(({ role }) => role),
      ['viewer'],
    )
  })

  test('two invitations of a new address that are opened at once make one account, and neither is lost', async () => {
    const other = await member({ [beta.id]: 'owner' })
    for (let round = 0; round < 5; round++) {
      const address = newAddress()
      const tokens = [
        await invite(address, 'viewer'),
        await invite(address, 'viewer', { by: other, to: beta }),
      ]
      const replies = await Promise.all(tokens.map((token) => open(token)))
      const [first, second] = replies.toSorted((a, b) => a.status - b.status)
      ok(first!)
      assert.deepEqual([second!.status, code(second!)], [409, 'conflict'])
      const cookie = cookieOf(first!)
      const again = await open(tokens[replies.indexOf(second!)]!, cookie)
      ok(again)
      assert.equal((again.body.companies as unknown[]).length, 2)
    }
  })

  test('two owners who demote or remove each other at the same moment leave one of them', async () => {
    for (const [method, body] of [
      ['PATCH', { role: 'viewer' }],
      ['DELETE', undefined],
    ] as const) {
      for (let round = 0; round < 5; round++) {
        const company = await service.company(`Team ${method} ${round}`)
        const both = [await member({ [company.id]: 'owner' }), await member({ [company.id]: 'owner' })]
        const replies = await Promise.all(
          both.map((one, at) => one.ask(method, `${teamOf(company)}/${both[1 - at]!.person.id}`, body)),
        )
        const owners = (await team(company)).members.filter(({ role }) => role === 'owner')
        assert.equal(owners.length, 1)
        assert.equal(replies.filter(({ status }) => status === 200).length, 1)
      }
    }
  })

  test('two operators who demote or remove each other at the same moment leave one of them', async () => {
    const alone = await startService()
    try {
      for (const [method, body] of [
        ['PATCH', { operator: false }],
        ['DELETE', undefined],
      ] as const) {
        for (let round = 0; round < 5; round++) {
          const both = [await Visitor.signIn(alone, 'operator'), await Visitor.signIn(alone, 'operator')]
          for (const { id } of await alone.store.people(null)) {
            if (both.every(({ person }) => person.id !== id)) await alone.store.removePerson(id)
          }
          await Promise.all(
            both.map((one, at) => one.ask(method, `/installation/people/${both[1 - at]!.person.id}`, body)),
          )
          const operators = (await alone.store.people(null)).filter(({ operator }) => operator)
          assert.equal(operators.length, 1)
        }
      }
    } finally {
      await alone.close()
    }
  })

  test('operators see all people, appoint operators and remove people; one operator stays', async () => {
    const at = '/installation/people'
    const reply = await operator.ask('POST', at, { address: newAddress() })
    ok(reply, 201)
    const signed = await open(String(reply.body.link).split('=')[1]!)
    assert.equal((signed.body.person as { operator: boolean }).operator, true)
    const somebody = await member({ [acme.id]: 'viewer' })
    const one = `${at}/${somebody.person.id}`
    const refused = await operator.ask('POST', at, { address: somebody.person.address! })
    assert.deepEqual([refused.status, code(refused)], [409, 'already_exists'])
    ok(await operator.ask('PATCH', one, { operator: true }))
    ok(await somebody.ask('GET', '/installation'))
    ok(await operator.ask('PATCH', one, { operator: false }))
    assert.equal((await somebody.ask('GET', '/installation')).status, 403)
    const link = await operator.ask('POST', `${one}/link`)
    ok(await open(String(link.body.link).split('=')[1]!))
    ok(await operator.ask('DELETE', one))
    assert.equal((await somebody.ask('GET', '/session')).status, 401)
    const { people } = (await operator.ask('GET', at)).body as {
      people: { id: string; operator: boolean }[]
    }
    for (const { id } of people.filter((each) => each.operator && each.id !== operator.person.id)) {
      ok(await operator.ask('DELETE', `${at}/${id}`))
    }
    const last = await operator.ask('DELETE', `${at}/${operator.person.id}`)
    assert.deepEqual([last.status, code(last)], [409, 'conflict'])
  })

  test('changes are in the audit list of the company, with actor and time', async () => {
    const company = await service.company('Team Delta')
    const boss = await member({ [company.id]: 'owner' })
    const began = Date.now()
    const key = await boss.ask('POST', `/companies/${company.id}/keys`, { name: 'shop', scopes: ['sending'] })
    const token = await invite('eve@people.test', 'viewer', { by: boss, to: company })
    ok(await open(token))
    await boss.ask('DELETE', `/companies/${company.id}/keys/019a9b2c-0000-7000-8000-ffffffffffff`)
    interface Entry {
      number: number
      at: string
      actor: { kind: string; name: string }
      action: string
      target: string
      done: boolean
    }
    const page = async (query: string) => {
      const reply = await boss.ask('GET', `/companies/${company.id}/audit${query}`)
      ok(reply)
      return reply.body as unknown as { entries: Entry[]; next: number | null }
    }
    const { entries, next } = await page('')
    const name = boss.person.address
    assert.deepEqual(
      entries.map(({ actor, action, target, done }) => [actor.name, action, target, done]),
      [
        ['eve@people.test', 'signIn', '127.0.0.1', true],
        ['eve@people.test', 'acceptInvitation', 'eve@people.test', true],
        [name, 'invite', 'eve@people.test', true],
        [name, 'createKey', 'shop', true],
      ],
    )
    assert.equal(next, null)
    for (const { at } of entries) assert.ok(Date.parse(at) >= began && Date.parse(at) <= Date.now())
    assert.ok(!JSON.stringify(entries).includes(String(key.body.token)))
    assert.ok(!JSON.stringify(entries).includes(token))
    const first = await page('?limit=2')
    assert.deepEqual(first.entries, entries.slice(0, 2))
    assert.deepEqual((await page(`?limit=2&before=${first.next}`)).entries, entries.slice(2))
    assert.deepEqual((await page(`?after=${entries[2]!.number}`)).entries, entries.slice(0, 2))
  })
})
