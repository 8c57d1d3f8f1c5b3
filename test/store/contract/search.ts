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
  octets: Number.MAX_SAFE_INTEGER,
}

export function searchContract(open: OpenBench): void {
  describe('searching', () => {
    test('walks through emails in both directions, within its bounds', async (t) => {
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

      const at = async (those: number[], portion: Partial<EmailWalk> = {}, companyId = owner.id) => {
        const wanted = { ...EVERYTHING, ...portion }
        const { emails, full } = await store.emailsAt({ companyId }, those, wanted)
        assert.deepEqual(
          emails.map(({ place }) => place),
          emails.map(({ email }) => places[ids.indexOf(email.id)]),
        )
        return [emails.map(({ email }) => ids.indexOf(email.id)), full]
      }
      const some = [places[1]!, places[3]!, places[4]!, 1_000_000]
      assert.deepEqual(await at(some, { newestFirst: false }), [[1, 3, 4], false])
      assert.deepEqual(await at(some.toReversed()), [[4, 3, 1], false])
      assert.deepEqual(await at(some.toReversed(), { limit: 2 }), [[4, 3], true])
      assert.deepEqual(await at(places, {}, other.id), [[], false])
    })

    test('finds emails that begin behind a number, up to the limit', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const old = await accept(store, email(owner, ['a@x.test']))
      const number = await store.lastEventNumber()
      const filter = { companyId: owner.id, to: 'a@x.test' }
      const begun = async (walk: Partial<EmailWalk>) => {
        const found = await store.emailsBegunAfter(number, filter, { ...EVERYTHING, ...walk })
        return found?.emails.map(({ email }) => ids.indexOf(email.id))
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
        keyId: 'second',
        tags: [
          { name: 'tag', value: 'a "quoted" {"name":"no",' },
          { name: 'kind', value: 'welcome' },
        ],
      })
      tagged.content = { ...tagged.content, from: 'Shop <Shop@acme.test>', subject: 'Order 17 is on its WAY' }
      const later = email(owner, ['b@x.test'], { createdAt: NOW + HOUR })
      const file = (disposition: 'attachment' | 'inline') => ({
        filename: 'a.png',
        contentType: 'image/png',
        disposition,
        content: Buffer.from('png'),
      })
      later.content = { ...later.content, attachments: [file('attachment')] }
      tagged.content = { ...tagged.content, attachments: [file('inline')] }
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
        // As its sender knows it: the form dialect's tags have no other name.
        [{ tag: { name: 'a "quoted" {"name"', value: '"no",' } }, [1]],
        [{ tag: { name: 'welcome' } }, [1]],
        [{ tag: { name: 'welc' } }, []],
        [{ tag: { name: 'a "quoted" {"name":"no",' } }, [1]],
        [{ tag: { name: 'tag', value: 'a "quoted" {"name":"no",' } }, [1]],
        [{ attachments: true }, [2]],
        [{ domainId: 'second' }, [1]],
        [{ keyId: 'second' }, [1]],
        [{ keyId: 'none' }, []],
        [{ since: NOW + 1 }, [2]],
        [{ until: NOW + 1 }, [1, 0]],
        [{ events: ['delivered'] }, [0]],
        [{ hadEvents: ['sent'] }, [2, 1, 0]],
        [{ hadEvents: ['delivered', 'bounced'] }, [0]],
        [{ hadEvents: [] }, []],
        [{ live: true }, [2, 1]],
        [{ liveOrHad: ['delivered'] }, [2, 1, 0]],
        [{ liveOrHad: ['bounced'] }, [2, 1]],
        [{ liveOrHad: [] }, [2, 1]],
        [{ toPart: 'DOE@x' }, [0]],
        [{ toPart: '@y.' }, [1]],
        [{ toPart: '_' }, []],
        [{ events: ['delivered', 'sent'] }, [2, 1, 0]],
        [{ events: [] }, []],
        [{ to: 'b@x.test', since: NOW + HOUR }, [2]],
      ]
      for (const [filter, wanted] of expected) {
        const { emails } = await store.walkEmails({ companyId: owner.id, ...filter }, EVERYTHING)
        const found = emails.map(({ email }) => those.indexOf(email.id))
        assert.deepEqual(found, wanted, JSON.stringify(filter))
      }
      const filter = { companyId: owner.id, to: 'b@x.test' }
      assert.equal((await store.emailsAt(filter, [3, 2, 1], EVERYTHING)).emails.length, 2)
    })

    test('reads a limited number of octets, and one email at least', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const number = await store.lastEventNumber()
      const values = [3, 3, 90_000, 3, 90_000].map((length) => {
        const value = email(owner, ['a@x.test'])
        value.content = { ...value.content, to: [`${'x'.repeat(length)} <a@x.test>`] }
        return value
      })
      for (const value of values) await accept(store, value)
      const ids = values.map(({ id }) => id)
      const places = await Promise.all(ids.map((id) => store.emailPlace(id)))
      const filter = { companyId: owner.id }
      const read = async (octets: number, newestFirst: boolean) => {
        const walk = { ...EVERYTHING, octets, newestFirst }
        const those = newestFirst ? places.toReversed() : places
        const walked = await store.walkEmails(filter, walk)
        const at = await store.emailsAt(filter, those, walk)
        const begun = await store.emailsBegunAfter(number, filter, walk)
        const found = walked.emails.map(({ email }) => ids.indexOf(email.id))
        assert.deepEqual(at.emails, walked.emails)
        assert.deepEqual(begun, at)
        assert.equal(at.full, !walked.complete)
        if (at.full) assert.deepEqual(walked.reached?.id, ids[found.at(-1)!])
        return [found, at.full]
      }
      assert.deepEqual(await read(1, true), [[4], true])
      assert.deepEqual(await read(50_000, true), [[4], true])
      assert.deepEqual(await read(50_000, false), [[0, 1, 2], true])
      assert.deepEqual(await read(95_000, true), [[4, 3, 2], true])
      assert.deepEqual(await read(1_000_000, false), [[0, 1, 2, 3, 4], false])
      const wanted = ids.map((emailId) => ({ emailId, recipient: 0, known: false }))
      const told = async (octets: number) => {
        const all = await store.readNoticeFacts(wanted, octets)
        return all.map(({ email, octets }) => [ids.indexOf(email!.id), octets > 90_000])
      }
      assert.deepEqual(await told(1), [[0, false]])
      const three = [
        [0, false],
        [1, false],
        [2, true],
      ]
      assert.deepEqual(await told(50_000), three)
      assert.deepEqual(await told(95_000), [...three, [3, false], [4, true]])
    })

    test('gives emails with their files, and the values of recipients', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const recipients = [
        to('a@x.test', { variables: { n: '1' }, mailbox: 'Ann <a@X.test>', copySize: 400 }),
        to('b@x.test', { kind: 'cc', variables: {} }),
      ]
      const value = email(owner, [], {
        recipients,
        individual: true,
        tags: [{ name: 'tag', value: 'x' }],
        variables: { order: '17' },
      })
      value.content = {
        ...value.content,
        to: ['Ann <a@X.test>', 'c@x.test'],
        cc: ['b@x.test'],
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
      const wanted = [
        { emailId: newId(), recipient: 0, known: false },
        { emailId: value.id, recipient: null, known: false },
        ...[0, 1, 7].map((recipient) => ({ emailId: value.id, recipient, known: true })),
      ]
      const told = await store.readNoticeFacts(wanted, 1_000_000)
      assert.deepEqual(
        told.map(({ recipient }) => recipient),
        [
          null,
          null,
          {
            position: 0,
            address: 'a@x.test',
            mailbox: 'Ann <a@X.test>',
            copySize: 400,
            copyOf: null,
            variables: { n: '1' },
          },
          {
            position: 1,
            address: 'b@x.test',
            mailbox: null,
            copySize: null,
            copyOf: 'Ann <a@X.test>',
            variables: {},
          },
          null,
        ],
      )
      const emails = told.map(({ email }) => email)
      assert.deepEqual(emails, [
        null,
        {
          id: value.id,
          companyId: owner.id,
          domainId: 'domain',
          sender: 'sender@acme.test',
          tags: [{ name: 'tag', value: 'x' }],
          variables: { order: '17' },
          individual: true,
          testMode: false,
          tls: null,
          viaSmtp: false,
          createdAt: NOW,
          scheduledAt: null,
          size: 1_000,
          domainName: null,
          recipientCount: 2,
          from: 'Sender <sender@acme.test>',
          // Of a batch all of them are not read.
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
        null,
        null,
        null,
      ])
      assert.deepEqual(await store.readNoticeFacts([], 1), [])
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
