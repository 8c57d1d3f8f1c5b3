/** The meanings of replies, and their providers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lookupFailed } from '../../src/delivery/path/mail-hosts.ts'
import { CATEGORY_WORDS } from '../../src/email/category-word.ts'
import { providerOf } from '../../src/email/mail-provider.ts'
import { othersFailed } from '../../src/email/not-attempted.ts'
import { BOUNCE_CATEGORIES, type BounceCategory } from '../../src/mail/reply/category.ts'
import { classifyReply } from '../../src/mail/reply/classify.ts'
import { CONNECT_FAULTS } from '../../src/network/connect-fault.ts'
import { categoryOf } from '../../src/operate/reply-category.ts'
import { replyMeaning } from '../../src/operate/reply-meaning.ts'
import { ANSWERS, partsOf } from '../mail/reply-examples.ts'

function meaningOf(reply: string) {
  const parts = partsOf(reply)
  const { category } = classifyReply(parts)
  const { code, status: enhancedCode, words: message } = parts
  return { category, meaning: replyMeaning({ category, code, enhancedCode, message }) }
}

const MEANINGS: [reply: string, category: BounceCategory, meaning: RegExp | null][] = [
  ['550 5.1.1 No such user', 'address_unknown', /^The address does not exist\.$/],
  ['550 5.1.6 Moved, no forwarding address', 'address_unknown', /left no new address/],
  ['452 4.2.2 Over quota', 'mailbox_full', /no room/],
  ['451 4.7.1 Greylisted, please come back', 'greylisted', /try again later/],
  ['421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred', 'rate_limited', /complain/],
  ['550 5.7.26 Unauthenticated', 'authentication', /neither SPF nor DKIM/],
  ['452 4.3.1 Insufficient system storage', 'other', /no room for more mail/],
  ['421 4.3.0 Upstream error', 'other', null],
  // Codes that say something else than the words.
  [
    '550 5.4.1 Recipient address rejected: Access denied',
    'address_unknown',
    /^The address does not exist\.$/,
  ],
  ['550 5.1.10 RESOLVER.ADR.RecipientNotFound', 'address_unknown', /^The address does not exist\.$/],
  ['450 4.2.1 The user is receiving mail at a rate that', 'rate_limited', /limits how much/],
  ['550 5.7.1 Unknown user', 'address_unknown', /^The address does not exist\.$/],
  ['550 5.2.1 This mailbox does not exist', 'address_unknown', /^The address does not exist\.$/],
  ['554 5.7.1 Spam detected', 'content_spam', /takes the content for spam/],
  ['550 5.4.5 Daily sending quota exceeded', 'rate_limited', /limits how much/],
]

for (const [reply, category, meaning] of MEANINGS) {
  test(reply, () => {
    const said = meaningOf(reply)
    assert.equal(said.category, category)
    if (meaning === null) assert.equal(said.meaning, null)
    else assert.match(said.meaning ?? '', meaning)
  })
}

/** Sentences that say more than the category does. */
const FINER: readonly [category: BounceCategory, sentence: RegExp][] = [
  ['address_unknown', /syntax of the address|has moved/],
  ['policy', /domain of the sender/],
  ['content_too_big', /larger than the mailbox/],
  ['network', /did not answer|connection was lost/],
  ['rate_limited', /complain|more recipients/],
  ['authentication', /DKIM|SPF/],
  ['reputation', /reverse DNS/],
  ['other', /no room for more mail|no mail at the moment/],
]

for (const category of BOUNCE_CATEGORIES) {
  test(`${category}: the meaning of each reply agrees with it`, () => {
    const { dead = [], alive = [] } = ANSWERS[category]
    for (const reply of [...dead, ...alive]) {
      const { meaning } = meaningOf(reply)
      const own = category === 'other' ? null : CATEGORY_WORDS[category].about
      if (meaning === own) continue
      const finer = FINER.find(([, sentence]) => sentence.test(meaning ?? ''))
      assert.equal(finer?.[0], category, `${reply}: ${meaning}`)
    }
  })
}

test('a failed look-up blames the name servers, and not the mail server', () => {
  const about = (message: string) => replyMeaning({ category: 'network', code: null, message })
  for (const reason of ['SERVFAIL', 'TIMEOUT']) {
    const found = lookupFailed('silent.example', reason)
    assert.ok(found.kind === 'none')
    assert.match(about(found.failure.message)!, /^The name servers of the recipient domain did not answer, /)
  }
  const host = 'DNS: the address lookup of mx.silent.example failed (TIMEOUT)'
  assert.match(about(host)!, /^The name servers of the domain's mail server did not answer, /)
  const none = 'DNS: mx.silent.example, a mail server of silent.example, has no public address'
  assert.equal(about(none), CATEGORY_WORDS.network.about)
  assert.equal(about(othersFailed(host)), about(host))
})

test('of words that are not a reply, only those about a server out of reach have a category', () => {
  const host = 'mx.x.test [192.0.2.1]:25'
  for (const fault of Object.values(CONNECT_FAULTS)) assert.equal(categoryOf(`${host} ${fault}`), 'network')
  assert.equal(categoryOf(othersFailed(`${host} refused the connection`)), 'network')
  assert.equal(categoryOf('DNS: the MX lookup of x.test failed (SERVFAIL)'), 'network')
  assert.equal(categoryOf(`${host} closed the session: 452 4.2.2 The mailbox is full`), 'mailbox_full')
  assert.equal(
    categoryOf('The proxy socks5://proxy.test of the source address 192.0.2.1 cannot be reached'),
    null,
  )
  assert.equal(categoryOf(`${host} offers no encryption`), null)
  assert.equal(categoryOf('Not attempted: the operator has paused the mail'), null)
  assert.equal(categoryOf(null), null)
})

test('words that no server has answered have no meaning', () => {
  assert.equal(replyMeaning({ category: null, code: null, message: 'the domain is not verified' }), null)
})

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
  // What held other mail says which server it was, whatever this mail has asked before.
  assert.equal(named(null, othersFailed('mx.olc.protection.outlook.com: 451 4.7.650 Busy')), 'Outlook.com')
  assert.equal(named('mta7.am0.yahoodns.net', othersFailed('mx.x.test: 421 Busy')), null)
})
