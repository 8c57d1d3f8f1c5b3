/** Looking on costs the same however many do, and however much happens: counted, at a rate that no page could show. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Changes, Live } from '../../src/events/live.ts'
import type { Store } from '../../src/store/store.ts'
import { accept, email } from '../store/samples.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

describe('viewers of live pages', () => {
  let service: Service
  before(async () => {
    service = await startService({ roles: ['api'] })
  })
  after(() => service.close())

  /** The store, with how often it was asked. */
  function counted(store: Store) {
    const asked = { settledEventNumber: 0, changedEmails: 0, summaries: 0, recipientCounts: 0 }
    const count = <Name extends keyof typeof asked>(name: Name): Store[Name] =>
      ((...args: never[]) => {
        asked[name] += 1
        return (store[name] as (...args: never[]) => unknown)(...args)
      }) as Store[Name]
    return {
      asked,
      store: {
        settledEventNumber: count('settledEventNumber'),
        changedEmails: count('changedEmails'),
        summaries: count('summaries'),
        recipientCounts: count('recipientCounts'),
      },
    }
  }

  test('share each read of the log, and get few changes out of many', async () => {
    const { company } = await service.tenant('shop.test')
    const { asked, store } = counted(service.store)
    const live = new Live({ store, onFault: (error) => assert.fail(String(error)) })
    const told: Changes[][] = Array.from({ length: 10 }, () => [])
    let heard: () => void = () => {}
    const ends = told.map((list, index) =>
      live.watch(company.id, null, (changes) => {
        list.push(changes)
        if (index === 9) heard()
      }),
    )
    const next = () => new Promise<void>((resolve) => (heard = resolve))
    const begun = next()
    await begun
    let emails = 0
    let last = ''
    const rounds = 3
    for (let round = 0; round < rounds; round++) {
      const some = Array.from({ length: 2_000 }, () => email(company, ['a@x.test']))
      const heardOf = next()
      await Promise.all(some.map((value) => accept(service.store, value)))
      emails += some.length
      last = some.at(-1)!.id
      await heardOf
    }
    // Until the last of them is sent.
    const end = await service.store.settledEventNumber()
    while (told[0]!.at(-1)!.cursor < end) await next()
    for (const stop of ends) stop()

    const [first] = told as [Changes[]]
    for (const list of told) assert.deepEqual(list, first, 'all are told the same')
    for (const list of told) list.forEach((changes, index) => void assert.equal(changes, first[index]))
    const ticks = first.length - 1
    assert.ok(ticks >= 1 && ticks < emails / 100, `${ticks} ticks for ${emails} emails`)
    assert.equal(asked.changedEmails, ticks)
    assert.equal(asked.summaries, ticks)
    assert.equal(asked.recipientCounts, ticks)
    for (const changes of first) assert.ok(changes.emails.length <= 50)
    assert.ok(first.some(({ more }) => more))
    // The latest first: the email accepted last is never left out.
    const cursors = first.map(({ cursor }) => cursor)
    assert.deepEqual(
      cursors,
      cursors.toSorted((a, b) => a - b),
    )
    const latest = await service.store.changedEmails({ above: 0, upTo: end, limit: 1 }, company.id)
    assert.equal(first.at(-1)!.emails[0]!.email.id, latest.ids[0])
    assert.ok(last)
  })

  test('get the events that they do not know yet, with one read for viewers at the same position', async () => {
    const { company } = await service.tenant('second.test')
    const known = await service.store.settledEventNumber()
    const value = await accept(service.store, email(company, ['a@x.test']))
    const { asked, store } = counted(service.store)
    const live = new Live({ store, onFault: (error) => assert.fail(String(error)) })
    const first = () => {
      const { promise, resolve } = Promise.withResolvers<Changes>()
      return { promise, stop: live.watch(company.id, known, resolve) }
    }
    const watching = [first(), first(), first()]
    for (const { promise } of watching) {
      assert.deepEqual(
        (await promise).emails.map(({ email: { id } }) => id),
        [value.id],
      )
    }
    assert.equal(asked.changedEmails, 1)
    for (const { stop } of watching) stop()
  })

  test('go on where they were when the store answers again', async () => {
    const { company } = await service.tenant('third.test')
    const faults: unknown[] = []
    let broken = false
    const { store } = counted(service.store)
    const live = new Live({
      store: {
        ...store,
        changedEmails: (...args) => {
          if (broken) throw new Error('the database does not answer')
          return store.changedEmails(...args)
        },
      },
      onFault: (error) => {
        faults.push(error)
        broken = false
      },
    })
    const told: Changes[] = []
    let heard: () => void = () => {}
    const stop = live.watch(company.id, null, (changes) => {
      told.push(changes)
      heard()
    })
    await new Promise<void>((resolve) => (heard = resolve))
    broken = true
    const value = await accept(service.store, email(company, ['a@x.test']))
    await new Promise<void>((resolve) => (heard = resolve))
    stop()
    assert.equal(faults.length, 1)
    assert.deepEqual(
      told.at(-1)!.emails.map(({ email: { id } }) => id),
      [value.id],
    )
  })

  test('get nothing after they leave, and cause no further query', async () => {
    const { company } = await service.tenant('left.test')
    const known = await service.store.settledEventNumber()
    await accept(service.store, email(company, ['a@x.test']))
    // On PostgreSQL an event settles a moment later. Before, the first call comes at once, without a read.
    await until(async () => (await service.store.settledEventNumber()) > known, 'the event to settle')
    for (const beside of [false, true]) {
      const { store } = counted(service.store)
      const reading = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const changedEmails: typeof store.changedEmails = async (...asked) => {
        reading.resolve()
        await gate.promise
        return await store.changedEmails(...asked)
      }
      const onFault = (error: unknown) => assert.fail(String(error))
      const live = new Live({ store: { ...store, changedEmails }, onFault })
      let heard = 0
      const leave = live.watch(company.id, known, () => heard++)
      await reading.promise
      const told: Changes[] = []
      const stays = beside ? live.watch(company.id, null, (changes) => told.push(changes)) : () => {}
      leave()
      gate.resolve()
      if (beside) {
        await until(() => told.length > 0, 'the first word to who stays')
        const value = await accept(service.store, email(company, ['b@x.test']))
        await until(() => told.at(-1)!.emails.some(({ email: { id } }) => id === value.id), 'the change')
        stays()
      }
      // Another one looks on meanwhile, which takes its time.
      const { looks } = live
      const other = new Live({ store, onFault })
      const end = other.watch(null, null, () => {})
      await until(() => other.looks >= 4, 'looks of another')
      end()
      assert.equal(heard, 0, `beside another: ${beside}`)
      assert.ok(live.looks <= looks + 1, `${live.looks - looks} looks for nobody`)
    }
  })

  test('learn that more changes exist when the emails are too large for one message', async () => {
    const { company } = await service.tenant('large.test')
    const known = await service.store.settledEventNumber()
    const large = () => {
      const value = email(company, ['a@x.test'])
      return { ...value, content: { ...value.content, subject: 's'.repeat(150_000) } }
    }
    for (let n = 0; n < 4; n++) await accept(service.store, large())
    const { store } = counted(service.store)
    const live = new Live({ store, onFault: (error) => assert.fail(String(error)) })
    const { promise, resolve } = Promise.withResolvers<Changes>()
    const stop = live.watch(company.id, known, resolve)
    const { emails, more } = await promise
    stop()
    // 256 KiB, and what goes beyond it with the last one.
    assert.deepEqual([emails.length, more], [2, true])
  })
})
