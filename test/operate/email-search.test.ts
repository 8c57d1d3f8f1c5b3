import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listEmails, searchEmails } from '../../src/operate/emails.ts'
import type { StatusFilter } from '../../src/operate/status-word.ts'
import type { NewEmail } from '../../src/store/store.ts'
import { digest } from '../store/contract/digest.ts'
import { apiKey, attempt, email, node, result } from '../store/samples.ts'
import { type Owned, World } from './world.ts'

let world: World
let token: number
const sent: NewEmail[] = []
before(async () => {
  world = await World.make()
  const { store, acme, beta } = world
  token = await store.join(node('here'))
  const key = { ...apiKey(acme.company), name: 'Shop' }
  await store.addKey(key)
  const send = async (of: Owned, subject: string, keyId = 'gone', bounces = false) => {
    const value = email(of.company, ['ada@x.test'], { domainId: of.domains[0].id, keyId })
    value.content = { ...value.content, subject }
    await store.accept(value, { token })
    const type = bounces ? 'bounced' : 'delivered'
    await store.record(attempt(value, token, [result(0, { events: [{ type, at: 1, detail: {} }] })]))
    sent.push(value)
  }
  for (let n = 0; n < 6; n++) await send(acme, `Welcome aboard, number ${n}`, n % 2 === 0 ? key.id : 'gone')
  await send(beta, 'Welcome aboard')
  await send(acme, 'Invoice 4711', 'gone', true)
  await digest(store, token)
})
after(() => world[Symbol.asyncDispose]())

const numbers = (found: readonly { id: string }[]) =>
  found.map(({ id }) => sent.findIndex((one) => one.id === id))

describe('a search for emails', () => {
  test('pages go on where the last one ended, in both directions', async () => {
    const op = await world.operation('reader')
    const search = { words: ['welcome aboard'], limit: 4 }
    const first = await searchEmails(op, search)
    assert.deepEqual(numbers(first.emails), [5, 4, 3, 2])
    const second = await searchEmails(op, { ...search, before: first.next! })
    assert.deepEqual(numbers(second.emails), [1, 0])
    assert.deepEqual([second.complete, second.next], [true, null])
    const back = await searchEmails(op, { ...search, after: second.emails[0]!.id, limit: 3 })
    assert.deepEqual(numbers(back.emails), [4, 3, 2])
    assert.equal(back.complete, false)
    const end = await searchEmails(op, { ...search, after: back.next! })
    assert.deepEqual(numbers(end.emails), [5])
  })

  test('by key, last event and address, of all companies for an operator', async () => {
    const op = { ...(await world.operation('operator')), accounts: await world.store.accounts() }
    const found = async (search: object) => numbers((await searchEmails(op, { ...search, limit: 10 })).emails)
    assert.deepEqual(await found({ words: ['aboard'] }), [6, 5, 4, 3, 2, 1, 0])
    assert.deepEqual(await found({ to: 'ADA@x.test' }), [7, 6, 5, 4, 3, 2, 1, 0])
    assert.deepEqual(await found({ company: 'Beta', to: 'ada@x.test' }), [6])
    assert.deepEqual(await found({ toDomain: 'x.test' }), [7, 6, 5, 4, 3, 2, 1, 0])
    assert.deepEqual(await found({ company: 'Beta', toDomain: 'x.test' }), [6])
    assert.deepEqual(await found({ toDomain: 'x.test', events: ['bounced'] }), [7])
    assert.deepEqual(await found({ toDomain: 'y.test' }), [])
    assert.deepEqual(await found({ key: 'shop' }), [4, 2, 0])
    assert.deepEqual(await found({ company: 'Acme', key: 'shop' }), [4, 2, 0])
    await assert.rejects(found({ company: 'Beta', key: 'shop' }), { code: 'not_found' })
    await assert.rejects(found({ company: 'Beta', domain: 'acme.test' }), { code: 'not_found' })
    assert.deepEqual(await found({ domain: 'acme.test', words: ['Number 3'] }), [3])
    assert.deepEqual(await found({ events: ['bounced'] }), [7])
    assert.deepEqual(await found({ events: ['bounced'], words: ['welcome'] }), [])
    assert.deepEqual(numbers(await listEmails(op, { words: ['aboard'], key: 'Shop', limit: 2 })), [4, 2])
  })

  test('a bounce is found at once, also before it is digested', async () => {
    const { store, acme } = world
    const old = email(acme.company, ['late@x.test'], { domainId: acme.domains[0].id })
    await store.accept(old, { token })
    sent.push(old)
    await digest(store, token)
    await store.record(attempt(old, token, [result(0, { events: [{ type: 'bounced', at: 1, detail: {} }] })]))
    const search = { events: ['bounced' as const], limit: 10 }
    for (const caller of ['reader', 'operator'] as const) {
      const { emails } = await searchEmails(await world.operation(caller), search)
      assert.deepEqual(numbers(emails), [8, 7])
    }
  })

  test('by status, where waiting means every unfinished state', async () => {
    const { store, beta } = world
    const half = email(beta.company, ['gone@x.test', 'later@x.test'], { domainId: beta.domains[0].id })
    await store.accept(half, { token })
    await store.record(
      attempt(half, token, [result(0, { events: [{ type: 'bounced', at: 1, detail: {} }] })]),
    )
    await digest(store, token)
    const op = { ...(await world.operation('operator')), accounts: await store.accounts() }
    const found = async (...statuses: StatusFilter[]) => {
      const { emails } = await searchEmails(op, { company: 'Beta', statuses, limit: 10 })
      return emails.map(({ id }) => id).filter((id) => id === half.id || id === sent[6]!.id)
    }
    assert.deepEqual(await found('waiting'), [half.id])
    assert.deepEqual(await found('waiting', 'retrying'), [half.id])
    assert.deepEqual(await found('waiting', 'delivered'), [half.id, sent[6]!.id])
    assert.deepEqual(await found('retrying', 'delivered'), [sent[6]!.id])
    assert.deepEqual(await found('delivered'), [sent[6]!.id])
  })
})
