/** Open troubles: each reader sees those that concern it, with a page that it may open and advice that it can follow. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openAlerts } from '../../src/operate/open-alerts.ts'
import { World } from './world.ts'

let world: World
before(async () => {
  world = await World.make()
})
after(() => world[Symbol.asyncDispose]())

test('a company sees its own troubles, an operator all of them, those of the installation first', async () => {
  const { store, acme, beta } = world
  const companyId = acme.company.id
  const [domain] = acme.domains
  const advice = { advice: 'Run postroad domain check x.', memberAdvice: 'See the page of the domain.' }
  const trouble = { title: 'T', found: 'F.', ...advice }
  await store.raiseAlert({ ...trouble, id: `webhook:w1`, companyId }, 1)
  await store.raiseAlert({ ...trouble, id: `domain:${domain.name}`, companyId }, 2)
  await store.raiseAlert({ ...trouble, id: `bounces:${beta.company.id}`, companyId: beta.company.id }, 3)
  await store.raiseAlert({ ...trouble, id: 'disk', companyId: null }, 4)
  await store.raiseAlert({ ...trouble, id: 'over', companyId: null }, 5)
  await store.endAlert('over', 6)

  const asMember = await openAlerts(await world.operation('reader'), {})
  assert.deepEqual(
    asMember.map(({ page, advice }) => [page, advice]),
    [
      [`c/${companyId}/webhooks/w1`, advice.memberAdvice],
      [`c/${companyId}/domains/${domain.id}`, advice.memberAdvice],
    ],
  )
  const operator = await world.operation('operator')
  assert.deepEqual(
    (await openAlerts(operator, {})).map(({ id, advice }) => [id, advice]),
    ['disk', 'webhook:w1', `domain:${domain.name}`, `bounces:${beta.company.id}`].map((id) => [
      id,
      trouble.advice,
    ]),
  )
  assert.deepEqual(
    (await openAlerts(operator, { company: 'Beta' })).map(({ page }) => page),
    [`c/${beta.company.id}/overview`],
  )
})
