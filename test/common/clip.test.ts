import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clip } from '../../src/common/clip.ts'

test('a long text ends with a mark, and in a whole character', () => {
  assert.equal(clip('mail', 4), 'mail')
  assert.equal(clip('mails', 4), 'mail…')
  assert.equal(clip('to 📬 you', 4), 'to …')
  assert.equal(clip('to 📬 you', 5), 'to 📬…')
})
