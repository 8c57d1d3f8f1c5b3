import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { LARGE_TEXT } from '../../../src/mail/large-text.ts'
import { LONGEST_READ } from '../../../src/store/email-store.ts'
import {
  accept,
  acme,
  attempt,
  claimRequest,
  deferred,
  email,
  HOUR,
  NOW,
  newId,
  node,
  result,
  to,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'

const FILE = { filename: 'f', contentType: 'image/png', disposition: 'attachment' } as const

export function readContract(open: OpenBench): void {
  describe('reading', () => {
    test('an unknown id gives null', async (t) => {
      const { store } = await open(t)
      const id = newId()
      assert.equal(await store.readEmail(id), null)
      assert.equal(await store.readHistory(id), null)
      assert.equal(await store.readWork(id), null)
      assert.deepEqual(await store.readCaptured(id), [])
    })

    test('a large body is stored and read as octets, by every reader', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const html = `${'<p>é\0'.repeat(LARGE_TEXT / 4)}`
      const text = 'x'.repeat(LARGE_TEXT - 1)
      const base = email(owner, ['a@x.test'])
      const octets = Buffer.from(html)
      // Without a lease the store may take it over.
      await accept(store, { ...base, content: { ...base.content, html: Uint8Array.from(octets), text } })
      const origin = await store.emailOrigin(base.id)
      assert.ok(origin!.octets > octets.length + text.length)
      const [claimed] = await store.claim(claimRequest(1))
      for (const found of [await store.readEmail(base.id), await store.readWork(base.id), claimed]) {
        assert.ok(found!.content.html instanceof Uint8Array)
        assert.ok(octets.equals(found!.content.html))
        assert.equal(found!.content.text, text)
      }
      const { html: shown } = (await store.readContent(base.id, 7))!
      assert.deepEqual(shown, { beginning: '<p>é\0<', clipped: true })
    })

    test('the reasons of refusals are the last ones, of emails of one company', async (t) => {
      const { store } = await open(t)
      const [owner, other] = [await acme(store), await acme(store, 'Other')]
      const token = await store.join(node('a'))
      const sent = async (from: typeof owner, results: Parameters<typeof attempt>[2]) => {
        const value = email(from, ['a@x.test', 'b@x.test'])
        await store.accept(value, { token })
        await store.record(attempt(value, token, results))
        return value.id
      }
      const detail = { category: 'mailbox_full', permanent: false } as const
      const refused = result(1, { state: 'bounced', events: [{ type: 'bounced', at: NOW, detail }] })
      const full = await sent(owner, [result(0), refused])
      const fine = await sent(owner, [result(0), result(1)])
      const foreign = await sent(other, [result(0), refused])
      const ids = [full, fine, foreign, newId(), 'x']
      const reason = (id: string) => ({ id, category: 'mailbox_full', permanent: false })
      assert.deepEqual(await store.readReasons(ids, owner.id), [reason(full)])
      const dead = { reportId: 'r1', category: 'address_unknown', permanent: true } as const
      const late = { kind: 'returned', report: 'bounced', deadAddress: false, fullMailbox: null } as const
      await store.happened([
        { emailId: full, position: 0, happening: { ...late, at: NOW + HOUR, detail: dead } },
      ])
      assert.deepEqual(await store.readReasons(ids, owner.id), [
        { id: full, category: 'address_unknown', permanent: true },
      ])
      const old = await sent(owner, [
        result(0),
        result(1, {
          state: 'bounced',
          events: [
            { type: 'bounced', at: NOW, detail: { code: 552, enhancedCode: '5.2.2', message: 'quota' } },
          ],
        }),
      ])
      assert.deepEqual(
        await store.readReasons([old], owner.id),
        [{ id: old, category: 'mailbox_full', permanent: false }],
        'derived where the event has no category',
      )
      const all = await store.readReasons(ids, null)
      assert.deepEqual(new Set(all.map(({ id }) => id)), new Set([full, foreign]))
      assert.deepEqual(await store.readReasons(ids, newId()), [])
      assert.deepEqual(await store.readReasons([], owner.id), [])
    })

    test('the beginnings of emails are those of one company, with the number of their files', async (t) => {
      const { store } = await open(t)
      const [owner, other] = [await acme(store), await acme(store, 'Other')]
      const of = (change: object, from = owner) => {
        const base = email(from, ['a@x.test'])
        const { text: _, html: __, ...content } = base.content
        return { ...base, content: { ...content, ...change } }
      }
      const attachments = (['attachment', 'inline'] as const).map((disposition, index) => {
        return { ...FILE, disposition, content: Uint8Array.of(index) }
      })
      const text = of({ text: 'Hellö', html: '<b>', attachments })
      const html = of({ html: '<p>Hello' })
      const long = of({ text: 'x'.repeat(LONGEST_READ + 1), html: '<p>Hello' })
      const raw = Buffer.from('Subject: s\r\n\r\nHello')
      const ready = { ...of({}), raw: Uint8Array.from(raw) }
      const rawFiles = { attached: true, names: ['bill.pdf', 'photo.png'] }
      const withFiles = { ...of({}), raw: Uint8Array.from(raw), rawFiles }
      const foreign = of({ text: 'Secret' }, other)
      const all = [text, html, long, ready, withFiles, foreign]
      for (const each of all) await accept(store, each)
      const ids = [...all.map(({ id }) => id), newId(), 'x']
      const found = new Map(
        (await store.readBeginnings(ids, owner.id, 5)).map(({ id, ...beginning }) => [id, beginning]),
      )
      const none = {
        text: null,
        html: null,
        raw: null,
        rawOctets: null,
        files: 0,
        fileNames: null,
        filesKnown: true,
      }
      assert.equal(found.size, 5)
      assert.deepEqual(found.get(text.id), {
        ...none,
        text: 'Hell',
        files: 1,
        fileNames: `${FILE.filename}\n${FILE.filename}`,
      })
      assert.deepEqual(found.get(html.id), { ...none, html: '<p>He' })
      assert.deepEqual(found.get(long.id), none)
      const { raw: beginning, ...rest } = found.get(ready.id)!
      assert.ok(raw.subarray(0, 5).equals(beginning!))
      const unread = { text: null, html: null, rawOctets: raw.length }
      assert.deepEqual(rest, { ...unread, files: 0, fileNames: null, filesKnown: false })
      const { raw: _raw, ...filed } = found.get(withFiles.id)!
      assert.deepEqual(filed, { ...unread, files: 1, fileNames: 'bill.pdf\nphoto.png', filesKnown: true })
      assert.equal((await store.readBeginnings(ids, null, 5)).length, 6)
      assert.deepEqual(await store.readBeginnings(ids, newId(), 5), [])
    })

    test('the last answers for the recipients of an email are read, each once', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      const owner = await acme(store)
      const many = email(owner, ['a@x.test', 'b@x.test', 'c@x.test', 'd@x.test'])
      const silent = email(owner, ['a@x.test'])
      for (const each of [many, silent]) await store.accept(each, { token })
      const answer = (position: number, code: number | null, message: string) =>
        result(position, { state: 'bounced', code, message })
      await store.record(
        attempt(many, token, [
          answer(0, 550, '5.1.1 No such user'),
          answer(1, 550, '550 5.1.1 No such user'),
          answer(2, null, 'x'.repeat(400)),
        ]),
      )
      const found = await store.readReplies([many.id, silent.id, newId(), 'x'])
      assert.deepEqual(
        found.map(({ id, replies }) => [id, replies.toSorted()]),
        [[many.id, ['550 5.1.1 No such user', 'x'.repeat(300)]]],
      )
    })

    test('the different answers of an email are read up to 3,000 characters', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      const owner = await acme(store)
      const all = Array.from({ length: 100 }, (_, n) => n)
      const to = all.map((n) => `u${n}@x.test`)
      const [long, short] = [email(owner, to), email(owner, to)]
      for (const each of [long, short]) await store.accept(each, { token })
      const refused = (value: typeof long, message: (n: number) => string) =>
        attempt(
          value,
          token,
          all.map((n) => result(n, { state: 'bounced', code: null, message: message(n) })),
        )
      await store.record(refused(long, (n) => `${n} `.padEnd(1_000, 'ä')))
      await store.record(refused(short, (n) => `550 No user ${n}`))
      const found = new Map(
        (await store.readReplies([long.id, short.id])).map(({ id, replies }) => [id, replies]),
      )
      assert.deepEqual(
        found.get(long.id)!.toSorted(),
        all.slice(0, 10).map((n) => `${n} `.padEnd(300, 'ä')),
        'those about the first recipients',
      )
      assert.equal(found.get(short.id)!.length, 100)
    })

    test('large files, ready messages and captured copies come back whole', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const contents = [randomBytes(LARGE_TEXT), randomBytes(7), randomBytes(2 * LARGE_TEXT + 1)]
      const attachments = contents.map((content) => {
        return { ...FILE, content: Uint8Array.from(content) }
      })
      const base = email(owner, ['a@x.test'])
      await accept(store, { ...base, content: { ...base.content, attachments } })
      const raw = randomBytes(LARGE_TEXT + 123)
      const ready = email(owner, ['a@x.test'], { raw: Uint8Array.from(raw) })
      await accept(store, ready)
      const same = (found: Uint8Array | null | undefined, octets: Buffer) => assert.ok(octets.equals(found!))
      for (const [position, content] of contents.entries()) {
        same((await store.readWork(base.id))!.content.attachments[position]!.content, content)
        same(await store.readFile(base.id, position), content)
      }
      same((await store.readWork(ready.id))!.raw, raw)
      same(await store.readRaw(ready.id), raw)
      for (const claimed of await store.claim(claimRequest(1))) {
        for (const [position, content] of contents.entries()) {
          if (claimed.id === base.id) same(claimed.content.attachments[position]!.content, content)
          else same(claimed.raw, raw)
        }
      }
      await store.record(attempt(ready, 1, [result(0)], { captured: Uint8Array.from(raw) }))
      same((await store.readCaptured(ready.id))[0]!.raw, raw)
      same((await store.readCapturedCopy(ready.id, 0))!.raw, raw)
    })

    test('emails are listed newest first, page by page, by company', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const values = []
      for (let n = 0; n < 9; n++)
        values.push(await accept(store, email(n % 3 === 0 ? other : owner, ['a@x.test'])))
      const ids = (list: { id: string }[]) => list.map(({ id }) => id)
      const newest = ids(values).reverse()
      assert.deepEqual(ids(await store.listEmails({ limit: 100 })), newest)
      assert.deepEqual(ids(await store.listEmails({ limit: 4 })), newest.slice(0, 4))
      assert.deepEqual(ids(await store.listEmails({ limit: 4, before: newest[3]! })), newest.slice(4, 8))
      assert.deepEqual(ids(await store.listEmails({ limit: 4, before: newest[8]! })), [])
      const own = values.filter(({ companyId }) => companyId === owner.id)
      const ownNewest = ids(own).reverse()
      assert.deepEqual(ids(await store.listEmails({ companyId: owner.id, limit: 100 })), ownNewest)
      const page = await store.listEmails({ companyId: owner.id, limit: 2, before: ownNewest[1]! })
      assert.deepEqual(ids(page), ownNewest.slice(2, 4))
      assert.deepEqual(page[0], {
        id: ownNewest[2],
        companyId: owner.id,
        domainId: 'domain',
        from: 'Sender <sender@acme.test>',
        to: ['a@x.test'],
        cc: [],
        bcc: [],
        replyTo: [],
        subject: `Subject of ${ownNewest[2]}`,
        messageId: `<${ownNewest[2]}@acme.test>`,
        tags: [],
        testMode: false,
        source: null,
        createdAt: NOW,
        scheduledAt: null,
        lastEvent: 'sent',
        size: 1_000,
      })
      assert.deepEqual(await store.listEmails({ companyId: newId(), limit: 5 }), [])
      assert.deepEqual(
        await store.listEmails({ before: newId(), limit: 1 }),
        await store.listEmails({ limit: 1 }),
      )
    })

    test('pages through emails of one millisecond, whatever the order of their ids', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const accepted: string[] = []
      for (const id of [3, 1, 2, 5, 4].map((n) => `01900000-0000-7000-8000-00000000000${n}`)) {
        await store.accept({ ...email(owner, ['a@x.test']), id }, null)
        accepted.push(id)
      }
      const listed: string[] = []
      for (let before: string | undefined; ; before = listed.at(-1)!) {
        const page = await store.listEmails({ limit: 2, ...(before !== undefined && { before }) })
        if (page.length === 0) break
        listed.push(...page.map(({ id }) => id))
      }
      const whole = await store.listEmails({ limit: 100 })
      assert.deepEqual(
        listed,
        whole.map(({ id }) => id),
      )
      assert.deepEqual(listed.toSorted(), accepted.toSorted())
    })

    test('the files of an email: their list, and each by itself', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const large = new Uint8Array(100_000).fill(7)
      const value = email(owner, ['a@x.test'])
      value.content.attachments = [
        {
          filename: 'a.txt',
          contentType: 'text/plain',
          content: Buffer.from('hi'),
          disposition: 'attachment',
        },
        {
          filename: 'b.png',
          contentType: 'image/png',
          content: large,
          disposition: 'inline',
          contentId: 'b',
        },
        {
          filename: 'empty',
          contentType: 'text/plain',
          content: new Uint8Array(),
          disposition: 'attachment',
        },
      ]
      await accept(store, value)
      const without = await accept(store, email(owner, ['a@x.test']))
      assert.deepEqual(await store.listFiles(value.id), [
        {
          position: 0,
          filename: 'a.txt',
          contentType: 'text/plain',
          disposition: 'attachment',
          contentId: null,
          size: 2,
        },
        {
          position: 1,
          filename: 'b.png',
          contentType: 'image/png',
          disposition: 'inline',
          contentId: 'b',
          size: 100_000,
        },
        {
          position: 2,
          filename: 'empty',
          contentType: 'text/plain',
          disposition: 'attachment',
          contentId: null,
          size: 0,
        },
      ])
      for (const [position, { content }] of value.content.attachments.entries()) {
        const octets = await store.readFile(value.id, position)
        assert.ok(octets && Buffer.from(content).equals(octets), `file ${position}`)
      }
      assert.equal(await store.readFile(value.id, 3), null)
      for (const id of [without.id, newId(), 'nonsense']) {
        assert.deepEqual(await store.listFiles(id), [])
        assert.equal(await store.readFile(id, 0), null)
        assert.equal(await store.readRaw(id), null)
      }
    })

    test('batch values are kept with their recipient', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const recipients = [to('a@x.test', { variables: { n: '1' } }), to('b@x.test', { variables: {} })]
      const value = await accept(store, email(owner, [], { recipients, individual: true }))
      const shown = (await store.readHistory(value.id))?.recipients.map(({ variables }) => variables)
      assert.deepEqual(shown, [{ n: '1' }, {}])
    })

    test('the queue shows where mail waits, since when and why', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const value = email(owner, ['a@x.test', 'b@x.test', 'c@y.test'])
      await store.accept(value, { token: 1 })
      await store.record(attempt(value, 1, [deferred(0, NOW + HOUR)]))
      await accept(store, email(owner, ['d@x.test'], { createdAt: NOW + 1, dueAt: NOW + 2 * HOUR }))
      await accept(store, email(other, ['e@x.test'], { dueAt: NOW - 1 }))
      const x = {
        companyId: owner.id,
        domain: 'x.test',
        waiting: 2,
        sending: 1,
        quarantined: 0,
        nextDueAt: NOW + HOUR,
        oldestAt: NOW,
        lastMessage: '451 4.7.1 Greylisted',
        lastServer: 'mx.x.test [192.0.2.1]:25',
      }
      const y = {
        companyId: owner.id,
        domain: 'y.test',
        waiting: 0,
        sending: 1,
        quarantined: 0,
        nextDueAt: null,
        oldestAt: null,
        lastMessage: null,
        lastServer: null,
      }
      const byName = (lanes: { companyId: string; domain: string }[]) =>
        lanes.sort((a, b) => (a.companyId + a.domain < b.companyId + b.domain ? -1 : 1))
      assert.deepEqual(byName(await store.queue(owner.id)), [x, y])
      const foreign = {
        ...y,
        companyId: other.id,
        domain: 'x.test',
        waiting: 1,
        sending: 0,
        nextDueAt: NOW - 1,
        oldestAt: NOW,
      }
      assert.deepEqual(byName(await store.queue()), [x, y, foreign])
      assert.deepEqual(await store.queue(newId()), [])

      const sums = { waiting: 2, sending: 2, quarantined: 0, oldest: { id: value.id, at: NOW } }
      assert.deepEqual(await store.backlog(owner.id), sums)
      assert.deepEqual(await store.backlog(), { ...sums, waiting: 3 })
      const none = { waiting: 0, sending: 0, quarantined: 0, oldest: null }
      assert.deepEqual(await store.backlog(newId()), none)
      assert.deepEqual(await store.counts(NOW + HOUR), { waiting: 3, sending: 2, quarantined: 0, due: 2 })
      assert.equal((await store.claim(claimRequest(2, { now: NOW + 2 * HOUR }))).length, 3)
      assert.deepEqual(await store.counts(NOW + HOUR), { waiting: 0, sending: 5, quarantined: 0, due: 0 })
    })
  })
}
