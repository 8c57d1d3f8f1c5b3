/** What replies mean, and whose they are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providerOf } from '../../src/email/mail-provider.ts'
import { replyMeaning } from '../../src/operate/reply-meaning.ts'

const MEANINGS: [code: number | null, message: string, meaning: RegExp | null][] = [
  [550, '5.1.1 No such user', /^The address does not exist\.$/],
  [452, '452 4.2.2 Over quota', /full/],
  [451, '4.7.1 Greylisted, please come back', /greylisting/],
  [421, '421 4.7.0 [TSS04] Messages temporarily deferred', /complain/],
  [550, '5.7.26 Unauthenticated', /neither SPF nor DKIM/],
  [250, '2.1.1 Ok', null],
  [554, 'Go away', null],
  [null, 'mx.x.test: the connection timed out', null],
]

for (const [code, message, meaning] of MEANINGS) {
  test(`${code} ${message}`, () => {
    const said = replyMeaning({ code, message })
    if (meaning === null) assert.equal(said, null)
    else assert.match(said ?? '', meaning)
  })
}

test('a provider is known by its servers alone', () => {
  const named = (server: string | null, message: string | null = null) =>
    providerOf({ server, message })?.name ?? null
  assert.equal(named('mta7.am0.yahoodns.net [98.136.96.91]:25'), 'Yahoo')
  assert.equal(named(null, 'gmail-smtp-in.l.google.com: 421 4.7.28'), 'Gmail')
  assert.equal(named('acme-com.mail.protection.outlook.com'), 'Microsoft 365')
  assert.equal(named('notyahoodns.net'), null)
  assert.equal(named('mx.x.test', 'mta7.am0.yahoodns.net'), null)
  assert.equal(named('mx.x.test: mta7.am0.yahoodns.net'), null)
  assert.equal(named(null), null)
})
