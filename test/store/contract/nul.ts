import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  accept,
  acme,
  attempt,
  claimRequest,
  deferred,
  email,
  HOUR,
  NOW,
  result,
  states,
  suppress,
  to,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'

/** NUL as SQLite gives it back and, where PostgreSQL has no place for it, U+FFFD in its place: the same. */
const shown = (text: string | null | undefined) => text?.replaceAll('\0', '\uFFFD')

export function nulContract(open: OpenBench): void {
  describe('a NUL in a text', () => {
    test('of an email is taken like any other character', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const base = email(owner, [])
      const file = {
        filename: 'a\0.txt',
        contentType: 'text/plain; name="\0"',
        content: Buffer.from('a\0b'),
        disposition: 'attachment' as const,
        contentId: 'i\0d',
      }
      const value = await accept(store, {
        ...base,
        content: {
          ...base.content,
          from: 'Sen\0der <sender@acme.test>',
          to: ['A\0 <a@x.test>'],
          subject: 'sub\0ject',
          headers: [['X-One', 'o\0ne']],
          html: '<p>h\0tml</p>',
          text: 't\0ext',
          attachments: [file],
        },
        tags: [{ name: 'tag', value: 't\0ag' }],
        variables: { all: 'v\0alue' },
        individual: true,
        recipients: [to('a@x.test', { variables: { own: 'o\0wn' } })],
      })
      const stored = (await store.readEmail(value.id))!
      assert.equal(shown(stored.content.from), 'Sen\uFFFDder <sender@acme.test>')
      assert.equal(shown(stored.content.subject), 'sub\uFFFDject')
      assert.equal(shown(stored.tags[0]?.value), 't\uFFFDag')
      const { content, recipients } = (await store.readWork(value.id))!
      // What is sent as its body is kept octet for octet, and so are the values that are filled in.
      assert.deepEqual([content.html, content.text], ['<p>h\0tml</p>', 't\0ext'])
      assert.deepEqual([stored.variables, recipients[0]?.variables], [{ all: 'v\0alue' }, { own: 'o\0wn' }])
      assert.deepEqual([content.to, content.headers], [['A\0 <a@x.test>'], [['X-One', 'o\0ne']]])
      const [kept] = content.attachments
      assert.deepEqual(kept?.content, new Uint8Array([0x61, 0, 0x62]))
      assert.deepEqual(
        [shown(kept?.filename), shown(kept?.contentType), shown(kept?.contentId)],
        ['a\uFFFD.txt', 'text/plain; name="\uFFFD"', 'i\uFFFDd'],
      )
    })

    test('of a server’s reply does not keep the result from being recorded', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test', 'b@x.test', 'c@x.test'])
      await store.accept(value, { token: 1 })
      const reply = '550 5.1.1 n\0 such user'
      const refused = { code: 550, enhancedCode: '5.1.1', message: reply }
      const bounced = result(0, {
        state: 'bounced',
        message: reply,
        suppress: true,
        server: 'm\0x',
        events: [{ type: 'bounced', at: NOW, detail: refused }],
      })
      const again = deferred(1, NOW + HOUR, { message: reply, preferredServer: 'm\0x', server: 'm\0x' })
      const change = { server: 'm\0x', dialogue: '0 < 220 m\0x' }
      const answer = await store.record(attempt(value, 1, [bounced, again], change))
      assert.deepEqual(answer, { refused: [] })
      // To be canceled, it ends with a message of the store's own making.
      await store.cancel(value.id, NOW)
      await store.record(attempt(value, 1, [deferred(2, NOW + HOUR, { message: reply })]))
      assert.deepEqual(await states(store, value.id), ['bounced', 'canceled', 'canceled'])

      const history = (await store.readHistory(value.id))!
      const wanted = shown(reply)
      for (const { lastMessage, server } of history.recipients.slice(0, 2)) {
        assert.deepEqual([shown(lastMessage), shown(server)], [wanted, 'm\uFFFDx'])
      }
      assert.equal(shown(history.recipients[2]?.lastMessage), wanted)
      const [first] = history.attempts
      assert.deepEqual([shown(first?.server), shown(first?.dialogue)], ['m\uFFFDx', '0 < 220 m\uFFFDx'])
      const told = history.events.map(({ detail }) => detail.message).filter((text) => text !== undefined)
      assert.deepEqual(told.map(shown), [wanted, wanted])
      const [suppression] = await store.listSuppressions({ limit: 1 })
      assert.equal(shown(suppression?.reason), wanted)
      // The reason goes into the event of the next one.
      const next = await accept(store, email(owner, ['a@x.test']))
      const [, event] = (await store.readHistory(next.id))!.events
      assert.match(shown(event?.detail.message) ?? '', /550 5\.1\.1 n\uFFFD such user/)
    })

    test('of messages for the operator is taken too', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test'])
      await store.accept(value, { token: 1 })
      const aside = { emailId: value.id, leaseToken: 1, positions: [0], others: 'suspect' as const, at: NOW }
      assert.equal(await store.quarantine({ ...aside, message: 'It died: \0' }), 1)
      const [listed] = await store.quarantined({ limit: 1 })
      assert.equal(shown(listed?.message ?? ''), 'It died: \uFFFD')
      assert.equal(await suppress(store, owner.id, 'b@x.test', 'a\0b', NOW), true)
      const [suppression] = await store.listSuppressions({ limit: 1 })
      assert.equal(shown(suppression?.reason), 'a\uFFFDb')
    })

    test('of a preferred server leaves the recipient to be claimed', async (t) => {
      const { store } = await open(t)
      const value = email(await acme(store), ['a@x.test'])
      await store.accept(value, { token: 1 })
      await store.record(attempt(value, 1, [deferred(0, NOW + HOUR, { preferredServer: 'm\0x' })]))
      const [work] = await store.claim(claimRequest(2, { now: NOW + HOUR }))
      assert.equal(shown(work?.recipients[0]?.preferredServer), 'm\uFFFDx')
    })
  })
}
