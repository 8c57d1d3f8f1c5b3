import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EmailFilter, EmailWalk, NewEmail, Store } from '../../../src/store/store.ts'
import { accept, acme, attempt, email, HOUR, NOW, newId, result, to } from '../samples.ts'
import type { OpenBench } from './contract.ts'

const EVERYTHING: EmailWalk = {
  above: 0,
  below: Number.MAX_SAFE_INTEGER,
  newestFirst: true,
  looks: 100,
  limit: 100,
}

export function searchContract(open: OpenBench): void {
  describe('searching', () => {
    test('walks through emails in both directions, so far as it may', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const own: NewEmail[] = []
      for (let n = 0; n < 6; n++) {
        own.push(await accept(store, email(owner, ['a@x.test'])))
        await accept(store, email(other, ['a@x.test']))
      }
      const ids = own.map(({ id }) => id)
      const places = await Promise.all(ids.map((id) => store.emailPlace(id)))
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
      )
      const walked = async (walk: Partial<EmailWalk>, filter: Partial<EmailFilter> = {}) => {
        const found = await store.walkEmails({ companyId: owner.id, ...filter }, { ...EVERYTHING, ...walk })
        const at = found.reached === null ? null : ids.indexOf(found.reached.id)
        return [found.emails.map(({ email }) => ids.indexOf(email.id)), at, found.complete]
      }
      assert.deepEqual(await walked({}), [[5, 4, 3, 2, 1, 0], 0, true])
      assert.deepEqual(await walked({ newestFirst: false }), [[0, 1, 2, 3, 4, 5], 5, true])
      assert.deepEqual(await walked({ limit: 2 }), [[5, 4], 4, false])
      assert.deepEqual(await walked({ below: places[4]!, limit: 2 }), [[3, 2], 2, false])
      assert.deepEqual(await walked({ above: places[1]!, newestFirst: false, limit: 2 }), [[2, 3], 3, false])
      assert.deepEqual(await walked({ above: places[1]!, below: places[4]! }), [[3, 2], 2, true])
      assert.deepEqual(await walked({ looks: 3 }, { subject: ids[0]! }), [[], 3, false])
      assert.deepEqual(await walked({ looks: 6 }, { subject: ids[0]! }), [[0], 0, false])
      assert.deepEqual(await walked({ looks: 7 }, { subject: ids[0]! }), [[0], 0, true])
      assert.deepEqual(await walked({}, { companyId: newId() }), [[], null, true])
      const between = await store.emailPlace(`${ids[2]!.slice(0, -1)}f`)
      assert.ok(between > 0 && !Number.isInteger(between), 'the place of an email that is gone')

      const at = await store.emailsAt({ companyId: owner.id }, [places[1]!, places[3]!, 1_000_000])
      assert.deepEqual(
        at.map(({ place, email }) => [place, email.id]),
        [
          [places[3], ids[3]],
          [places[1], ids[1]],
        ],
      )
      assert.deepEqual(await store.emailsAt({ companyId: other.id }, places), [])
    })

    test('finds emails that begin behind a number, no more than are asked for', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const old = await accept(store, email(owner, ['a@x.test']))
      const number = await store.lastEventNumber()
      const filter = { companyId: owner.id, to: 'a@x.test' }
      const begun = async (walk: Partial<EmailWalk>) => {
        const found = await store.emailsBegunAfter(number, filter, { ...EVERYTHING, ...walk })
        return found?.map(({ email }) => ids.indexOf(email.id))
      }
      const ids: string[] = []
      assert.deepEqual(await begun({}), [])
      for (let n = 0; n < 4; n++) ids.push((await accept(store, email(owner, ['a@x.test']))).id)
      await accept(store, email(owner, ['b@x.test']))
      assert.ok(!ids.includes(old.id))
      const places = await Promise.all(ids.map((id) => store.emailPlace(id)))
      assert.deepEqual(await begun({}), [3, 2, 1, 0])
      assert.deepEqual(await begun({ limit: 2 }), [3, 2])
      assert.deepEqual(await begun({ limit: 2, newestFirst: false }), [0, 1])
      assert.deepEqual(await begun({ above: places[0]!, below: places[3]! }), [2, 1])
    })

    test('finds emails by each field of a filter', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const plain = email(owner, ['Jane.Doe@x.test'])
      const tagged = email(owner, ['b@x.test', 'c@y.test'], {
        domainId: 'second',
        tags: [
          { name: 'tag', value: 'a "quoted" {"name":"no",' },
          { name: 'kind', value: 'welcome' },
        ],
      })
      tagged.content = { ...tagged.content, from: 'Shop <Shop@acme.test>', subject: 'Order 17 is on its WAY' }
      const later = email(owner, ['b@x.test'], { createdAt: NOW + HOUR })
      for (const value of [plain, tagged, later]) await store.accept(value, { token: 1 })
      await store.record(attempt(plain, 1, [result(0)]))
      const those = [plain, tagged, later].map(({ id }) => id)
      const expected: [Omit<EmailFilter, 'companyId'>, number[]][] = [
        [{}, [2, 1, 0]],
        [{ to: 'jane.doe@X.test' }, [0]],
        [{ to: 'c@y.test' }, [1]],
        [{ to: 'doe@x.test' }, []],
        [{ from: 'SHOP@' }, [1]],
        [{ from: 'sender' }, [2, 0]],
        [{ subject: 'on its way' }, [1]],
        [{ tag: { name: 'kind' } }, [1]],
        [{ tag: { name: 'kind', value: 'welcome' } }, [1]],
        [{ tag: { name: 'kind', value: 'welc' } }, []],
        [{ tag: { name: 'no' } }, []],
        [{ tag: { name: 'tag', value: 'a "quoted" {"name":"no",' } }, [1]],
        [{ domainId: 'second' }, [1]],
        [{ since: NOW + 1 }, [2]],
        [{ until: NOW + 1 }, [1, 0]],
        [{ events: ['delivered'] }, [0]],
        [{ events: ['delivered', 'sent'] }, [2, 1, 0]],
        [{ events: [] }, []],
        [{ to: 'b@x.test', since: NOW + HOUR }, [2]],
      ]
      for (const [filter, wanted] of expected) {
        const { emails } = await store.walkEmails({ companyId: owner.id, ...filter }, EVERYTHING)
        const found = emails.map(({ email }) => those.indexOf(email.id))
        assert.deepEqual(found, wanted, JSON.stringify(filter))
      }
      assert.deepEqual((await store.emailsAt({ companyId: owner.id, to: 'b@x.test' }, [1, 2, 3])).length, 2)
    })

    test('tells emails with their files, and the values of recipients', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const recipients = [to('a@x.test', { variables: { n: '1' } }), to('b@x.test', { variables: {} })]
      const value = email(owner, [], {
        recipients,
        individual: true,
        tags: [{ name: 'tag', value: 'x' }],
        variables: { order: '17' },
      })
      value.content = {
        ...value.content,
        headers: [['X-Own', 'yes']],
        attachments: [
          {
            filename: 'b.txt',
            contentType: 'text/plain',
            content: Buffer.from('12345'),
            disposition: 'attachment',
          },
          {
            filename: 'a.txt',
            contentType: 'text/plain',
            content: Buffer.from('1'),
            disposition: 'attachment',
          },
        ],
      }
      await accept(store, value)
      const places = [0, 1, 7].map((recipient) => ({ emailId: value.id, recipient }))
      const { emails, variables } = await store.readTold([value.id, newId()], places)
      assert.deepEqual(variables, [
        { emailId: value.id, recipient: 0, variables: { n: '1' } },
        { emailId: value.id, recipient: 1, variables: {} },
      ])
      assert.deepEqual(emails, [
        {
          id: value.id,
          companyId: owner.id,
          domainId: 'domain',
          sender: 'sender@acme.test',
          tags: [{ name: 'tag', value: 'x' }],
          variables: { order: '17' },
          individual: true,
          testMode: false,
          createdAt: NOW,
          scheduledAt: null,
          size: 1_000,
          from: 'Sender <sender@acme.test>',
          to: [],
          cc: [],
          replyTo: [],
          subject: `Subject of ${value.id}`,
          headers: [['X-Own', 'yes']],
          messageId: `<${value.id}@acme.test>`,
          attachments: [
            { filename: 'b.txt', contentType: 'text/plain', size: 5 },
            { filename: 'a.txt', contentType: 'text/plain', size: 1 },
          ],
        },
      ])
      assert.deepEqual(await store.readTold([], []), { emails: [], variables: [] })
    })

    test('goes back through the log, and gives all events of some emails', async (t) => {
      const { store } = await open(t)
      const owners = [await acme(store), await acme(store, 'Other')]
      const values = Array.from({ length: 6 }, (_, n) => email(owners[n % 2]!, ['a@x.test']))
      for (const value of values) {
        await store.accept(value, { token: 1 })
        await store.record(attempt(value, 1, [result(0)]))
      }
      const { events: all } = await store.eventsAfter(0, {}, 100)
      const end = await store.lastEventNumber()
      const back = async (filter: Parameters<Store['eventsUpTo']>[1], upTo = end) => {
        const events = []
        for (let cursor = upTo; cursor > 0; ) {
          const page = await store.eventsUpTo(cursor, filter, 2)
          assert.ok(page.cursor < cursor)
          events.push(...page.events)
          cursor = page.cursor
        }
        return events
      }
      assert.deepEqual(await back({}), all.toReversed())
      assert.deepEqual(await back({}, all[4]!.number), all.slice(0, 5).reverse())
      assert.deepEqual(
        await back({ companyId: owners[1]!.id, types: ['delivered'] }),
        all.filter(({ companyId, type }) => companyId === owners[1]!.id && type === 'delivered').reverse(),
      )
      assert.deepEqual(await back({ companyId: newId() }), [])
      const at = async (change: object) => {
        const wanted = { since: null, until: null, newestFirst: false, limit: 3, ...change }
        return await store.eventsAt(
          all.map(({ number }) => number),
          wanted,
        )
      }
      assert.deepEqual(await at({}), all.slice(0, 3))
      assert.deepEqual(await at({ newestFirst: true }), all.slice(-3).reverse())
      const times = all.map((event) => event.at)
      const [since, until] = [Math.min(...times) + 1, Math.max(...times)]
      assert.deepEqual(
        await at({ since, until, limit: 100 }),
        all.filter((event) => event.at >= since && event.at < until),
      )
      const some = [values[1]!.id, values[4]!.id]
      assert.deepEqual(
        await store.eventsOf([...some, newId()], 'nobody@x.test'),
        all.filter(({ emailId, type }) => some.includes(emailId) && type === 'sent'),
        'what happened to the emails as a whole',
      )
      assert.deepEqual(
        await store.eventsOf([...some, newId()], null),
        all.filter(({ emailId }) => some.includes(emailId)),
      )
    })
  })
}
