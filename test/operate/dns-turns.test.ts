/** Verifications whose name servers do not answer: few are under way, and other companies get their turn. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newDnsTurns } from '../../src/operate/dns-turns.ts'
import { verifyDomain } from '../../src/operate/domain-verification.ts'
import { World } from './world.ts'

let world: World
before(async () => {
  world = await World.make()
})
after(() => world[Symbol.asyncDispose]())

test('a company whose name servers are silent has a few verifications under way, and delays no other company', async () => {
  const turns = newDnsTurns()
  const answer = Promise.withResolvers<void>()
  const absent = { kind: 'absent' as const, reason: 'NXDOMAIN' }
  let underWay = 0
  const verify = async (caller: 'manager' | 'foreign', domain: string, isSilent: boolean) => {
    let isNew = true
    const look = async () => {
      if (isNew) underWay++
      isNew = false
      if (isSilent) await answer.promise
      return absent
    }
    const op = await world.operation(caller)
    return await verifyDomain(
      {
        ...op,
        inDnsTurn: (companyId, ask) => turns.take(companyId, ask),
        resolver: () => ({ txt: look, mx: look, cname: look, addresses: look }),
      },
      { domain },
    )
  }
  const silent = Array.from({ length: 30 }, () => verify('manager', world.acme.domains[0].name, true))
  const { verification } = await verify('foreign', world.beta.domains[0].name, false)
  assert.equal(verification.verified, false)
  // Those of the silent company, and the one that has ended.
  assert.equal(underWay, 4 + 1)
  answer.resolve()
  assert.equal((await Promise.all(silent)).length, 30)
})
