/** Checks of a message: what each says of a message that is right, and of one that is not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CheckedEmail, Grade } from '../../console/src/checks/check.ts'
import { checkMessage } from '../../console/src/checks/checks.ts'
import { unsupportedIn } from '../../console/src/checks/clients.ts'
import { htmlFacts } from '../../console/src/checks/html-facts.ts'

const GOOD: CheckedEmail = {
  subject: 'Your order has left',
  from: 'shop@acme.example',
  html: '<p>It arrives on Monday, between eight and ten in the morning.</p><img src="https://a.example/x.png" alt="">',
  text: 'It arrives on Monday.',
  size: 4_000,
  fields: [
    ['List-Unsubscribe', '<https://acme.example/u>'],
    ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
  ],
  signedBy: ['acme.example'],
}

const ROWS: [id: string, grade: Grade, change: Partial<CheckedEmail>][] = [
  ['text', 'poor', { text: null }],
  ['text', 'poor', { text: ' \n' }],
  ['clipping', 'bad', { html: 'x'.repeat(103 * 1024) }],
  ['clipping', 'poor', { html: 'x'.repeat(100 * 1024) }],
  ['size', 'poor', { size: 11 * 1024 * 1024 }],
  ['subject', 'bad', { subject: '  ' }],
  ['subject', 'poor', { subject: 'x'.repeat(71) }],
  ['subject', 'poor', { subject: 'BUY NOW AND SAVE' }],
  ['preheader', 'poor', { html: '<title>A long title that nobody sees at all</title><p>Hi</p>' }],
  ['alt', 'poor', { html: `${GOOD.html}<img src=https://a.example/y.png>` }],
  ['alignment', 'bad', { signedBy: [] }],
  ['alignment', 'bad', { signedBy: ['notacme.example'] }],
  ['alignment', 'good', { from: 'a@news.acme.example' }],
  ['unsubscribe', 'poor', { fields: [] }],
  ['unsubscribe', 'poor', { fields: [['list-unsubscribe', '<mailto:a@b.example>']] }],
  ['active', 'bad', { html: '<script>1</script>' }],
  ['active', 'poor', { html: '<form><input></form>' }],
  ['insecure', 'poor', { html: '<a href="http://a.example">x</a>' }],
  ['misleading', 'bad', { html: '<a href="https://evil.example/">www.bank.example</a>' }],
  ['misleading', 'bad', { html: '<a href="https://evil.example/">https://bank.example/login</a>' }],
  ['spam', 'good', { subject: 'Win!!' }],
  ['spam', 'poor', { signedBy: [], text: null }],
  [
    'spam',
    'bad',
    { subject: 'RE: WIN NOW', html: '<a href="http://192.0.2.1/">www.bank.example</a>', text: null },
  ],
]

test('the advice about unsubscribing names features that exist', () => {
  const { todo } = checkMessage({ ...GOOD, fields: [] }).checks.find(({ id }) => id === 'unsubscribe')!
  assert.match(todo, /List-Unsubscribe-Post.*%unsubscribe_url%/)
  assert.doesNotMatch(todo, /tracking/)
})

test('the advice about text says who adds it to mail over SMTP', () => {
  const { todo } = checkMessage({ ...GOOD, text: null }).checks.find(({ id }) => id === 'text')!
  assert.match(todo, /text\/plain.*APIs.*SMTP and ready MIME messages/)
})

test('a correct message has nothing to fix', () => {
  const { checks } = checkMessage(GOOD)
  assert.deepEqual(
    checks.filter(({ grade, todo }) => grade !== 'good' || todo !== ''),
    [],
  )
  assert.ok(checks.length >= 7)
})

test('the spam score names the rules that it counts', () => {
  const scoreOf = (change: Partial<CheckedEmail>) =>
    checkMessage({ ...GOOD, ...change }).checks.find(({ id }) => id === 'spam')!
  assert.match(scoreOf({}).what, /^Spam score: 0\.0\./)
  assert.match(scoreOf({}).why, /^Found: nothing\. \d+ rules were checked/)
  const { what, why } = scoreOf({
    subject: 'Re: hello!!',
    html: '<img src="https://a.example/x.png" alt=""><a href="https://bit.ly/x">Go</a>',
  })
  assert.match(what, /^Spam score: 3\.8\./)
  for (const rule of [
    'pictures with little text (1.5 points)',
    'shortened links (1 point)',
    'pretends to be a reply (0.8 points)',
  ]) {
    assert.ok(why.includes(rule), why)
  }
})

for (const [id, grade, change] of ROWS) {
  test(`${id} is ${grade} with ${JSON.stringify(change).slice(0, 60)}`, () => {
    const found = checkMessage({ ...GOOD, ...change }).checks.find((check) => check.id === id)
    assert.equal(found?.grade, grade)
    assert.ok(found.what !== '' && found.why !== '' && (grade === 'good' || found.todo !== ''))
  })
}

test('a link whose text shows its target is no problem', () => {
  const html =
    '<a href="https://www.bank.example/x">bank.example</a> <a href="#x">a.example</a> <a href="https://b.example">Buy</a>'
  const { checks } = checkMessage({ ...GOOD, html })
  assert.ok(!checks.some(({ id }) => id === 'misleading'))
})

test('links and images are found as browsers read them', () => {
  const { links, images } = htmlFacts(
    `<A HREF='https://a.example/?x=1&amp;y=2'>one <b>two</b></a><img src=https://b.example/p width=1 height=1>
    <!-- <a href="https://comment.example"> --><script>"<a href='https://script.example'>"</script>`,
  )
  assert.deepEqual(links, [{ url: 'https://a.example/?x=1&y=2', text: 'one two' }])
  assert.deepEqual(images, [{ url: 'https://b.example/p', alt: null, tiny: true }])
})

test('a hundred thousand nested elements are read like any other text', () => {
  const { text } = htmlFacts(`${'<div>'.repeat(100_000)}deep`)
  assert.equal(text.trim(), 'deep')
})

test('each feature is listed once, with the programs that do not support it', () => {
  assert.deepEqual(
    unsupportedIn([
      '`<body> element` is not supported by `outlook.ios`',
      '`position` is not supported by `gmail.ios`',
      '`display:flex` is not supported by `outlook.windows`',
      '`display:flex` is not supported by `gmail.android`',
      'something else',
    ]),
    [
      {
        feature: 'display:flex',
        clients: [
          { program: 'Outlook', platform: 'Windows' },
          { program: 'Gmail', platform: 'Android' },
        ],
      },
      { feature: 'position', clients: [{ program: 'Gmail', platform: 'iOS' }] },
    ],
  )
})
