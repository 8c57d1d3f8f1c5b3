/** Names that owners choose, in mail of the service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPlainName, mailedName } from '../../src/operate/mailed-name.ts'

const PLAIN = [
  'Acme',
  'Acme Inc.',
  'J. R. R. Tolkien & Söhne (GmbH)',
  'Müller, Meier + Co. KG',
  '株式会社アクメ',
  'Studio 54',
  'Dr.',
  'A/B Tests: the company',
]

const NOT_PLAIN = [
  'evil.example',
  'Log in at evil.example now',
  'https://evil',
  'WWW evil',
  'help@evil.example',
  'evil。example',
  'evil．example',
  'evil․example',
  'help＠evil',
  'Call 555 010 0199',
  '192.0.2.17',
  'a'.repeat(81),
]

test('a name that is no link and no message is plain', () => {
  for (const name of PLAIN) assert.equal(isPlainName(name), true, name)
})

test('a name that a mail program makes a link of, or that is a message, is not', () => {
  for (const name of NOT_PLAIN) assert.equal(isPlainName(name), false, name)
})

test('in place of a name that is not plain stands the name that the operator gave', () => {
  assert.equal(mailedName({ name: 'Acme', ownName: 'The Acme Company' }), 'The Acme Company')
  assert.equal(mailedName({ name: 'Acme', ownName: 'evil.example' }), 'Acme')
  assert.equal(mailedName({ name: 'acme.example' }), 'acme.example')
})
