/** The cache of message copies for people who look again. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { RawCopyCache } from '../../src/http/raw-copy-cache.ts'
import { World } from '../operate/world.ts'

const ROOM = 20_000

describe('copies', () => {
  test('simultaneous and later readers get the same copy', async () => {
    await using world = await World.make()
    const { id } = await world.email()
    const op = await world.operation('operator')
    const copies = new RawCopyCache(ROOM)
    const company = world.acme.company.id
    const [one, other] = await Promise.all([copies.get(op, company, { id }), copies.get(op, company, { id })])
    assert.equal(one, other)
    assert.equal(await copies.get(op, company, { id }), one)
    assert.equal(copies.findCached(company, { id }), one)
    assert.equal(copies.findCached(company, { id, recipient: 'somebody@x.test' }), undefined)
    assert.equal(copies.findCached('another company', { id }), undefined)
    assert.ok(copies.octets >= one.message.byteLength)
  })

  test('when there is no room, the company with the most loses its oldest copy', async () => {
    await using world = await World.make()
    const op = await world.operation('operator')
    const copies = new RawCopyCache(ROOM)
    const send = async () => {
      const value = await world.email()
      return value.id
    }
    const few = await send()
    await copies.get(op, 'few', { id: few })
    const { octets } = copies
    const many: string[] = []
    for (let n = 0; n < ROOM / octets + 5; n++) {
      const id = await send()
      many.push(id)
      await copies.get(op, 'many', { id })
      assert.ok(copies.octets <= ROOM)
    }
    assert.notEqual(copies.findCached('few', { id: few }), undefined)
    assert.equal(copies.findCached('many', { id: many[0]! }), undefined)
    assert.notEqual(copies.findCached('many', { id: many.at(-1)! }), undefined)
  })

  test('a refused copy is requested again', async () => {
    await using world = await World.make()
    const op = await world.operation('operator')
    const copies = new RawCopyCache(ROOM)
    const nowhere = { id: '019a9b2c-0000-7000-8000-ffffffffffff' }
    await assert.rejects(copies.get(op, 'x', nowhere), /there is no email/)
    await assert.rejects(copies.get(op, 'x', nowhere), /there is no email/)
    assert.equal(copies.octets, 0)
  })
})
