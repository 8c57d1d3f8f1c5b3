import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Company } from '../../../src/accounts/account.ts'
import { textOf } from '../../../src/mail/body.ts'
import { type NewEmail, StoreConflict } from '../../../src/store/store.ts'
import {
  accept,
  acme,
  attempt,
  claimRequest,
  company,
  DAY,
  email,
  eventNames,
  HOUR,
  NOW,
  result,
  states,
  to,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function acceptContract(open: OpenBench): void {
  describe('accept', () => {
    test('keeps large files of an email without a lease, each with its own octets alone', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const around = randomBytes(3_000_000)
      const views = [around.subarray(100, 2_000_000), around.subarray(2_000_000), randomBytes(600_000)]
      const before = views.map((view) => new Uint8Array(view))
      const file = {
        filename: 'f',
        contentType: 'application/octet-stream',
        disposition: 'attachment',
      } as const
      const attachments = views.map((content) => ({ ...file, content }))
      const value = email(owner, ['a@x.test'])
      await store.accept({ ...value, content: { ...value.content, attachments } }, null)
      const claimed = await store.readWork(value.id)
      assert.deepEqual(
        claimed?.content.attachments.map(({ content }) => content),
        before,
      )
    })

    test('keeps a file once for a company, and apart from all that differ from it in one octet', async (t) => {
      const { store, rows } = await open(t)
      const owner = await acme(store)
      const file = randomBytes(200_000)
      const places = [0, 65_535, 65_536, 100_000, 199_999]
      const files = [file, ...places.map((at) => file.with(at, file[at]! ^ 1))]
      const carrying = (sender: Company, contents: Uint8Array[]): NewEmail => {
        const value = email(sender, ['a@x.test'])
        const attachments = contents.map((content) => {
          return { filename: 'f', contentType: 'image/png', content, disposition: 'attachment' } as const
        })
        return { ...value, content: { ...value.content, attachments } }
      }
      const carries = async ({ id }: NewEmail, expected: Uint8Array[]) => {
        const { content } = (await store.readWork(id))!
        assert.equal(content.attachments.length, expected.length)
        for (const [index, file] of content.attachments.entries())
          assert.ok(Buffer.from(expected[index]!).equals(file.content), `file ${index}`)
      }
      // Together, and so in one commit; then each beside those that are there.
      for (let round = 1; round <= 2; round++) {
        const emails = files.map((content) => carrying(owner, [new Uint8Array(content)]))
        await Promise.all(emails.map((value) => accept(store, value)))
        for (const [index, value] of emails.entries()) await carries(value, [files[index]!])
        assert.equal(await rows('blobs'), files.length)
      }
      const all = carrying(owner, files.toReversed())
      await accept(store, all)
      await carries(all, files.toReversed())
      assert.equal(await rows('blobs'), files.length)
      await accept(store, carrying(await acme(store, 'Other'), [file]))
      assert.equal(await rows('blobs'), files.length + 1)
    })

    test('keeps everything about an email', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test', 'b@y.test'], {
        content: {
          from: '"Doe, Jane" <jane@acme.test>',
          to: ['a@x.test', 'B <b@y.test>'],
          cc: ['c@x.test'],
          replyTo: ['r@acme.test'],
          subject: 'Grüße 📮',
          html: '<p>ü</p>\0',
          amp: '<html amp4email>ü</html>',
          text: '',
          headers: [
            ['X-One', '1'],
            ['X-One', '2'],
          ],
          attachments: [
            {
              filename: 'a.bin',
              contentType: 'application/octet-stream',
              content: randomBytes(70_000),
              disposition: 'attachment',
            },
            {
              filename: 'b.png',
              contentType: 'image/png',
              content: randomBytes(10),
              disposition: 'inline',
              contentId: 'b.png',
            },
          ],
          messageId: '<m@acme.test>',
          date: NOW - 5,
        },
        bcc: ['hidden@y.test'],
        tags: [{ name: 'campaign', value: 'spring' }],
        variables: { order: '7' },
        individual: true,
        testMode: true,
        tls: 'verified',
        tlsByMessage: true,
        giveUpAt: NOW + HOUR,
        returnPathHost: 'bounces.acme.test',
        source: 'news',
        recipients: [to('a@x.test', { variables: { name: 'A', '': '"' } }), to('b@y.test', { kind: 'bcc' })],
      })
      const before = value.content.attachments.map(({ content }) => Buffer.from(content))
      await accept(store, value)
      assert.deepEqual(
        value.content.attachments.map(({ content }) => content),
        before,
        'the caller keeps its octets',
      )

      const { attachments: _, ...shown } = value.content
      const origin = await store.emailOrigin(value.id)
      assert.deepEqual(
        { ...origin, octets: 0, outlineOctets: 0 },
        {
          companyId: owner.id,
          domainId: 'domain',
          keyId: 'key',
          size: value.size,
          octets: 0,
          outlineOctets: 0,
          rawOctets: null,
        },
      )
      const { html = '', text = '', subject, headers } = value.content
      const least = Buffer.byteLength(textOf(html) + textOf(text) + subject) + JSON.stringify(headers).length
      assert.ok(origin!.octets >= least && origin!.octets < least + 500, `${origin!.octets} for ${least}`)
      assert.deepEqual(await store.readEmail(value.id), {
        id: value.id,
        companyId: owner.id,
        domainId: 'domain',
        keyId: 'key',
        content: shown,
        bcc: ['hidden@y.test'],
        tags: [{ name: 'campaign', value: 'spring' }],
        variables: { order: '7' },
        createdAt: NOW,
        scheduledAt: null,
        giveUpAt: NOW + HOUR,
        lastEvent: 'sent',
        size: 1_000,
        testMode: true,
        tls: 'verified',
        tlsByMessage: true,
        source: 'news',
        contentRemoved: false,
      })
      const content = {
        ...value.content,
        attachments: value.content.attachments.map((file) => ({
          ...file,
          content: new Uint8Array(file.content),
        })),
      }
      const work = {
        id: value.id,
        companyId: owner.id,
        domainId: 'domain',
        keyId: 'key',
        sender: 'sender@acme.test',
        returnPathHost: 'bounces.acme.test',
        createdAt: NOW,
        content,
        raw: null,
        individual: true,
        testMode: true,
        tls: 'verified',
        tlsByMessage: true,
        scheduledAt: null,
        giveUpAt: NOW + HOUR,
        source: 'news',
        size: 1_000,
        recipients: [
          {
            position: 0,
            address: 'a@x.test',
            domain: 'x.test',
            attempts: 0,
            variables: { name: 'A', '': '"' },
            preferredServer: null,
            uncertain: false,
            postponedSince: null,
            suspicion: 0,
          },
          {
            position: 1,
            address: 'b@y.test',
            domain: 'y.test',
            attempts: 0,
            variables: null,
            preferredServer: null,
            uncertain: false,
            postponedSince: null,
            suspicion: 0,
          },
        ],
      }
      assert.deepEqual(await store.readWork(value.id), work)
      assert.deepEqual(await store.claim(claimRequest(1)), [work])
    })

    test('keeps a ready message octet for octet, also from a view of a larger buffer', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const body = randomBytes(300_000)
      const raw = body.subarray(1_000, 201_000)
      const value = await accept(store, email(owner, ['a@x.test'], { raw }))
      assert.deepEqual((await store.readWork(value.id))?.raw, new Uint8Array(raw))
      assert.deepEqual(await store.readRaw(value.id), new Uint8Array(raw))
      assert.equal((await store.emailOrigin(value.id))?.rawOctets, raw.length)
      assert.equal(body.byteLength, 300_000)
    })

    test('with a lease, recipients are born leased and no other claim gets them', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const token = 5
      const value = email(owner, ['a@x.test', 'b@y.test'])
      assert.deepEqual(await store.accept(value, { token }), {
        kind: 'accepted',
        leased: [0, 1],
      })
      assert.deepEqual(await store.claim(claimRequest(token + 1)), [])
      assert.equal(await store.nextDue(), null)
      assert.deepEqual(await store.record(attempt(value, token, [result(0), result(1)])), { refused: [] })
      assert.deepEqual(await states(store, value.id), ['delivered', 'delivered'])
    })

    test('a scheduled email waits even under a lease, and is `sent` when it is claimed', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test'], { scheduledAt: NOW + HOUR, dueAt: NOW + HOUR })
      assert.deepEqual(await store.accept(value, { token: 1 }), {
        kind: 'accepted',
        leased: [],
      })
      const stored = await store.readEmail(value.id)
      assert.equal(stored?.lastEvent, 'scheduled')
      assert.equal(stored?.scheduledAt, NOW + HOUR)
      assert.equal(await store.nextDue(), NOW + HOUR)
      assert.deepEqual(await store.claim(claimRequest(1)), [])
      const [claimed] = await store.claim(claimRequest(1, { now: NOW + HOUR }))
      assert.equal(claimed?.id, value.id)
      assert.deepEqual(await eventNames(store, value.id), ['scheduled', 'sent'])
      assert.equal((await store.readEmail(value.id))?.lastEvent, 'sent')
    })

    test('addresses on the suppression list are not sent to', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const first = email(owner, ['Gone@x.test'])
      await store.accept(first, { token: 1 })
      const bounce = result(0, {
        state: 'bounced',
        suppress: true,
        message: '550 5.1.1 Unknown user',
        events: [],
      })
      await store.record(attempt(first, 1, [bounce]))

      const second = email(owner, ['a@x.test', 'gone@x.test'])
      assert.deepEqual(await store.accept(second, { token: 1 }), {
        kind: 'accepted',
        leased: [0],
      })
      assert.deepEqual(await states(store, second.id), ['sending', 'suppressed'])
      assert.deepEqual(await eventNames(store, second.id), ['sent', '1:suppressed'])
      assert.equal((await store.readEmail(second.id))?.lastEvent, 'suppressed')
      const { events } = (await store.readHistory(second.id))!
      assert.match(events[1]?.detail.message ?? '', /550 5\.1\.1 Unknown user/)

      const test = email(owner, ['gone@x.test'], { testMode: true })
      assert.deepEqual(await store.accept(test, { token: 1 }), { kind: 'accepted', leased: [0] })
      const other = await acme(store, 'Other')
      const foreign = email(other, ['gone@x.test'])
      assert.deepEqual(await store.accept(foreign, { token: 1 }), {
        kind: 'accepted',
        leased: [0],
      })
    })

    test('the simulator is never suppressed', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const first = email(owner, ['bounced@simulator.test'])
      await store.accept(first, { token: 1 })
      await store.record(attempt(first, 1, [result(0, { state: 'bounced', suppress: true })]))
      const second = email(owner, ['bounced@simulator.test'])
      assert.deepEqual(await store.accept(second, { token: 1 }), {
        kind: 'accepted',
        leased: [0],
      })
    })

    test('an idempotency key answers with the earlier email for a day', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const once = { key: 'order-7', fingerprint: 'f' }
      const first = await accept(store, email(owner, ['a@x.test'], { idempotency: once }))
      const repeated = { kind: 'repeated', id: first.id, messageId: first.content.messageId }
      const again = email(owner, ['a@x.test'], { idempotency: once, createdAt: NOW + DAY - 1 })
      assert.deepEqual(await store.accept(again, null), repeated)
      assert.equal(await store.readEmail(again.id), null)

      const another = email(owner, ['b@x.test'], { idempotency: { key: 'order-7', fingerprint: 'g' } })
      assert.deepEqual(await store.accept(another, null), { kind: 'conflict' })
      assert.equal(await store.readEmail(another.id), null)

      const other = await acme(store, 'Other')
      await accept(store, email(other, ['a@x.test'], { idempotency: { key: 'order-7', fingerprint: 'g' } }))
      const late = email(owner, ['a@x.test'], { idempotency: once, createdAt: NOW + DAY })
      assert.deepEqual(await store.accept(late, null), { kind: 'accepted', leased: [] })
      const later = email(owner, ['a@x.test'], { idempotency: once, createdAt: NOW + DAY + 1 })
      assert.deepEqual(await store.accept(later, null), {
        ...repeated,
        id: late.id,
        messageId: late.content.messageId,
      })
    })

    test('of fifty at once with the same idempotency key one is kept', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const same = Array.from({ length: 50 }, () => {
        return email(owner, ['a@x.test'], { idempotency: { key: 'k', fingerprint: 'f' } })
      })
      const kinds = (await Promise.all(same.map((value) => store.accept(value, null)))).map(
        ({ kind }) => kind,
      )
      assert.equal(kinds.filter((kind) => kind === 'accepted').length, 1)
      assert.equal(kinds.filter((kind) => kind === 'repeated').length, 49)
      assert.equal((await store.listEmails({ limit: 100 })).length, 1)
    })

    test('emails that arrive together share commits, and one that fails does so alone', async (t) => {
      const { store, commits } = await open(t)
      const owner = await acme(store)
      const stranger = company('Never added')
      const before = commits()
      const emails = Array.from({ length: 300 }, (_, n) => email(n === 150 ? stranger : owner, ['a@x.test']))
      emails[200] = { ...emails[200]!, id: emails[10]!.id }
      const outcomes = await Promise.allSettled(emails.map((value) => store.accept(value, null)))
      assert.ok(commits() - before <= 3, `${commits() - before} commits`)
      const failed = outcomes.flatMap((outcome, n) =>
        outcome.status === 'rejected' ? [[n, outcome.reason]] : [],
      )
      // Of two with one id one is taken; which, is open where commits run side by side.
      const twin = outcomes[10]!.status === 'rejected' ? 10 : 200
      assert.deepEqual(new Set(failed.map(([n]) => n)), new Set([150, twin]))
      for (const [, reason] of failed) assert.ok(reason instanceof StoreConflict, String(reason))
      assert.equal((await store.listEmails({ limit: 1_000 })).length, 298)
      assert.deepEqual(await store.counts(NOW), { waiting: 298, sending: 0, quarantined: 0, due: 298 })
    })
  })
}
