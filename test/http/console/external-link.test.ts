/** Links in shown mail that lead outside: for whom they work, and until when. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { externalLink, isGenuine, linkSigner } from '../../../src/http/shown-emails/external-link.ts'

const DAY = 24 * 3_600_000
const SECRET = Buffer.alloc(32, 7)

test('a link works for the person it was made for, for a day', () => {
  const now = Date.UTC(2026, 10, 20)
  const signer = linkSigner(SECRET, 'ada', now)
  const link = new URL(externalLink('https://shop.test/?a=1', signer)!, 'https://x.test').searchParams
  const genuine = (person: string, at: number, to = link.get('to')!, until = Number(link.get('until'))) =>
    isGenuine(to, link.get('s')!, { secret: SECRET, person, until }, at)
  assert.ok(genuine('ada', now))
  assert.ok(genuine('ada', now + DAY - 1))
  assert.ok(!genuine('ada', now + DAY))
  assert.ok(!genuine('bob', now))
  assert.ok(!genuine('', now))
  assert.ok(!genuine('ada', now, 'https://evil.test/'))
  assert.ok(!genuine('ada', now + DAY, undefined, now + 2 * DAY))
  assert.ok(!genuine('ada', now, undefined, Number.NaN))
})
