import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type EmailRange, findEmails } from '../../../src/events/find-emails.ts'
import { wordSearches } from '../../../src/operate/word-searches.ts'
import type { EmailFilter, NewEmail, Store } from '../../../src/store/store.ts'
import { acme, attempt, DAY, email, NOW, node, result } from '../samples.ts'
import type { OpenBench } from './contract.ts'
import { digest } from './digest.ts'

interface Written {
  subject: string
  text?: string
  html?: string
  raw?: string
  rawFiles?: NewEmail['rawFiles']
  /** The answer with which its server refuses it. */
  reply?: string
  from?: string
  /** The To field; without it, the recipients. */
  shown?: string[]
  to?: string[]
  /** Its file. */
  file?: string
}

const RAW = [
  'Content-Type: multipart/alternative; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('Ihre Bestellung 4711 ist unterwegs, Grüße').toString('base64'),
  '--b--',
  '',
].join('\r\n')

const RAW_WITH_FILE = [
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Goodday',
  '--b',
  'Content-Type: application/pdf',
  "Content-Disposition: attachment; filename*=utf-8''Rechnung%20M%C3%A4rz.pdf",
  'Content-Transfer-Encoding: base64',
  '',
  'AAAA',
  '--b--',
  '',
].join('\r\n')

const MAIL: Written[] = [
  { subject: 'Receipt', text: 'Thank you for order 4711, Zoë. It has shipped.' },
  { subject: 'Order 4711', text: 'Nothing to see' },
  { subject: 'Newsletter', html: '<style>.order{}</style><p>Your <b>order</b> 4711 of May' },
  { subject: 'Ready', raw: RAW },
  { subject: 'Hello', text: 'Hi', reply: '552 5.2.2 Mailbox full https://mail.test/help/quota' },
  { subject: 'Mailbox', text: 'It is full', reply: '550 5.1.1 No such user 4711' },
  { subject: 'Hi', from: 'Laravel <hello@apps.example>', to: ['you@example.com', 'bcc.only@else.test'] },
  { subject: 'Bill', text: 'See below', file: 'Faktura_2026-17.pdf' },
  { subject: 'Bill', raw: RAW_WITH_FILE },
  { subject: 'Hi', shown: ['Zoë Ångström <zoe@example.com>'], to: ['zoe@example.com'] },
  // Of a longer message, its files were filed when it was accepted.
  {
    subject: 'Long',
    raw: 'Subject: Long\r\n\r\nSee below',
    rawFiles: { attached: true, names: ['Lieferschein.pdf'] },
  },
  {
    subject: 'None',
    raw: RAW_WITH_FILE.replace('Goodday', 'Kept'),
    rawFiles: { attached: false, names: [] },
  },
]

function fileNamed(filename: string) {
  const content = Buffer.from('%PDF')
  return { filename, contentType: 'application/pdf', disposition: 'attachment' as const, content }
}

async function write(store: Store, token: number, owner: { id: string }, at: number, mail: Written) {
  const {
    subject,
    text,
    html,
    raw,
    rawFiles = null,
    reply,
    from,
    file,
    to = ['ada@x.test'],
    shown = to.slice(0, 1),
  } = mail
  const sender = from === undefined ? {} : { sender: from.replace(/.*<|>/g, '') }
  const base = email(owner, to, { createdAt: at, ...sender })
  const { text: _, html: __, ...content } = base.content
  const value: NewEmail = {
    ...base,
    raw: raw === undefined ? null : Uint8Array.from(Buffer.from(raw)),
    rawFiles,
    content: {
      ...content,
      subject,
      to: shown,
      ...(file !== undefined && { attachments: [fileNamed(file)] }),
      ...(from !== undefined && { from }),
      ...(text !== undefined && { text }),
      ...(html !== undefined && { html }),
    },
  }
  await store.accept(value, { token })
  if (reply === undefined) return value
  const detail = { code: Number(reply.slice(0, 3)), message: reply, category: 'other' } as const
  const events = [{ type: 'bounced' as const, at: at + 1, detail }]
  await store.record(
    attempt(value, token, [result(0, { state: 'bounced', code: detail.code, message: reply, events })]),
  )
  return value
}

export function foundWordsContract(open: OpenBench): void {
  describe('searched words', () => {
    const asked: [filter: Omit<EmailFilter, 'companyId'>, wanted: number[]][] = [
      [{ replyWords: ['mailbox FULL'] }, [4]],
      [{ replyWords: ['552'] }, [4]],
      [{ replyWords: ['5.2.2'] }, [4]],
      [{ replyWords: ['full mailbox'] }, []],
      [{ replyWords: ['mailbox'], words: ['receipt'] }, []],
      [{ textWords: ['order 4711'] }, [0, 2]],
      [{ textWords: ['bestellung 4711', 'grusse'] }, []],
      [{ textWords: ['bestellung 4711', 'gruße'] }, [3]],
      [{ textWords: ['zoe'] }, [0]],
      [{ textWords: ['style'] }, []],
      [{ textWords: ['order'], words: ['receipt'] }, [0]],
      [{ textWords: ['order'], anyWords: ['newsletter'] }, [2]],
      [{ textWords: ['full'], anyWords: ['user'], to: 'ada@x.test' }, [5]],
      [{ anyWords: ['4711'] }, [0, 1, 2, 3, 5]],
      [{ anyWords: ['order 4711'] }, [0, 1, 2]],
      [{ anyWords: ['mailbox full'] }, [4]],
      [{ anyWords: ['mailbox', 'full'] }, [4, 5]],
      [{ anyWords: ['receipt', 'shipped'] }, [0]],
      [{ anyWords: ['shipped'], events: ['bounced'] }, []],
      [{ anyWords: ['nowhere'] }, []],
      [{ anyWords: ['you'] }, [0, 6]],
      [{ anyWords: ['laravel'] }, [6]],
      [{ anyWords: ['apps.example'] }, [6]],
      [{ anyWords: ['hello@apps.example'] }, [6]],
      [{ anyWords: ['Bcc.Only@else.test'] }, [6]],
      [{ anyWords: ['example.com'] }, [6, 9]],
      [{ anyWords: ['example.com', 'you@example.com'] }, [6]],
      [{ anyWords: ['angstrom'] }, [9]],
      [{ anyWords: ['zoe@example.com'] }, [9]],
      [{ anyWords: ['you@'] }, [0, 6]],
      [{ anyWords: ['exam'] }, []],
      [{ anyWords: ['exam'], anyWordsOpen: true }, [6, 9]],
      [{ anyWords: ['you@ex'], anyWordsOpen: true }, [6]],
      [{ anyWords: ['exam', 'you'], anyWordsOpen: true }, []],
      [{ anyWords: ['you', 'exam'], anyWordsOpen: true }, [6]],
      [{ anyWords: ['hello@'] }, [4, 6]],
      [{ toPart: 'YOU' }, [6]],
      [{ toPart: '@example' }, [6, 9]],
      [{ toPart: 'bcc.', words: ['hi'] }, [6]],
      [{ toPart: '%' }, []],
      [{ attachments: true }, [7, 8, 10]],
      [{ attachments: true, words: ['bill'] }, [7, 8]],
      [{ attachments: true, anyWords: ['goodday'] }, [8]],
      [{ attachments: true, textWords: ['goodday'] }, [8]],
      [{ anyWords: ['rechnung marz.pdf'] }, [8]],
      [{ anyWords: ['Rechnung März.pdf'] }, [8]],
      [{ textWords: ['faktura 2026'] }, [7]],
      [{ anyWords: ['lieferschein'] }, [10]],
      [{ textWords: ['lieferschein pdf', 'see below'] }, [10]],
      [{ attachments: true, textWords: ['lieferschein pdf'] }, [10]],
      [{ anyWords: ['fakt'], anyWordsOpen: true }, [7]],
    ]

    test('are found in subjects, answers and texts, page by page, before and after the digest', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const written: NewEmail[] = []
      for (const [n, mail] of MAIL.entries()) written.push(await write(store, token, owner, NOW + n, mail))
      for (const mail of MAIL) await write(store, token, other, NOW, mail)
      const searches = wordSearches({ store, workers: null })
      const find = async (filter: Omit<EmailFilter, 'companyId'>, limit: number) => {
        const found: string[] = []
        let range: EmailRange = { limit }
        for (let pages = 0; ; pages++) {
          assert.ok(pages < 20)
          const { emails, next } = await findEmails(
            store,
            { ...filter, companyId: owner.id },
            range,
            searches,
          )
          assert.ok(emails.length <= limit)
          found.push(...emails.map(({ id }) => id))
          if (next === null) return found
          range = { limit, olderThan: next }
        }
      }
      const check = async () => {
        for (const [filter, wanted] of asked) {
          const ids = wanted.toReversed().map((n) => written[n]!.id)
          for (const limit of [1, 2, 50]) {
            assert.deepEqual(await find(filter, limit), ids, `${JSON.stringify(filter)}, ${limit} a page`)
          }
        }
      }
      await check()
      await digest(store, token)
      await check()
      const everywhere = await findEmails(
        store,
        { companyId: null, anyWords: ['order 4711'] },
        { limit: 50 },
        searches,
      )
      assert.equal(everywhere.emails.length, 6)
      assert.deepEqual(everywhere.texts, { count: 2 * MAIL.length, all: true })
    })

    test('are shown with the words around them', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      const owner = await acme(store)
      const long = `${'Lorem ipsum dolor sit amet\n '.repeat(20)}order 4711 ${'consectetur '.repeat(50)}`
      const first = await write(store, token, owner, NOW, { subject: 'A', text: long })
      const second = await write(store, token, owner, NOW, {
        ...{ subject: 'Order 4711', text: 'order 4711', reply: '550 Order 4711 refused' },
      })
      await digest(store, token)
      const searches = wordSearches({ store, workers: null })
      const filter = { companyId: owner.id, anyWords: ['order 4711'] }
      const { words } = await findEmails(store, filter, { limit: 9 }, searches)
      assert.deepEqual([...words.keys()], [first.id])
      const { place, excerpt } = words.get(first.id)!
      assert.equal(place, 'text')
      assert.match(excerpt, /^…(ipsum )?dolor sit amet order 4711 consectetur/)
      assert.equal(excerpt.length, 161)
      const answered = await findEmails(store, { companyId: owner.id, replyWords: ['refused'] }, { limit: 9 })
      assert.deepEqual(answered.words.get(second.id), { place: 'reply', excerpt: '550 Order 4711 refused' })
    })

    test('of addresses are found behind the newest emails, and say where they stand', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      const owner = await acme(store)
      const crowd = Array.from({ length: 300 }, (_, n) => `n${n}@crowd.test`)
      const many = await write(store, token, owner, NOW, { subject: 'Hi', to: crowd, shown: [crowd[0]!] })
      await digest(store, token)
      // Without texts, the newest emails are not searched: only the lists lead to them.
      const find = async (...anyWords: string[]) =>
        await findEmails(store, { companyId: owner.id, anyWords }, { limit: 9 })
      for (const [text, excerpt] of [
        ['n0', undefined],
        ['n99', 'n99@crowd.test'],
        ['n299@crowd.test', 'n299@crowd.test'],
      ] as const) {
        const { emails, words } = await find(text)
        assert.deepEqual(
          emails.map(({ id }) => id),
          [many.id],
          text,
        )
        assert.equal(words.get(many.id)?.excerpt, excerpt)
      }
      assert.deepEqual((await find('n299')).emails, [], 'of the first hundred recipients')
      assert.deepEqual((await find('n300@crowd.test')).emails, [])
    })

    test('of a text are found as long as it is kept', async (t) => {
      const { store } = await open(t)
      const token = await store.join(node('here'))
      const owner = await acme(store)
      await write(store, token, owner, NOW, { subject: 'Key', text: 'Your code is 998877', reply: '550 No' })
      const rawFiles = { attached: true, names: ['998878.pdf'] }
      await write(store, token, owner, NOW, { subject: 'File', raw: RAW, rawFiles, reply: '550 No' })
      await digest(store, token)
      const searches = wordSearches({ store, workers: null })
      const find = async (filter: Omit<EmailFilter, 'companyId'>) =>
        (await findEmails(store, { ...filter, companyId: owner.id }, { limit: 9 }, searches)).emails.length
      assert.deepEqual([await find({ textWords: ['998877'] }), await find({ anyWords: ['998877'] })], [1, 1])
      assert.equal(await find({ anyWords: ['998878'] }), 1)
      await store.retain({ contentBefore: NOW + DAY, emailsBefore: NOW - DAY, limit: 10 })
      assert.deepEqual([await find({ textWords: ['998877'] }), await find({ anyWords: ['998877'] })], [0, 0])
      assert.equal(await find({ words: ['key'] }), 1)
      assert.equal(await find({ anyWords: ['998878'] }), 0)
    })
  })
}
