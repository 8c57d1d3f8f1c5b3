/** The audit page says in a sentence what every verb has done. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { phraseOf } from '../../console/src/pages/audit/sentence.ts'

const folder = new URL('../../src/operate/', import.meta.url)

test('every recorded verb has a sentence', async () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const modules = await Promise.all(
    files.map(async (file): Promise<object> => await import(new URL(file, folder).href)),
  )
  const actions = modules
    .flatMap((module) => Object.values(module))
    .flatMap((value: { audit?: { action: string } | null } | null) => value?.audit?.action ?? [])
  assert.ok(actions.length > 30)
  assert.deepEqual(
    actions.filter((action) => phraseOf({ action, detail: {} }).before.startsWith('did ')),
    [],
  )
})

test('the sentence contains the known details, and the others stand beside it', () => {
  const phrase = phraseOf({ action: 'invite', detail: { role: 'viewer', more: ['a', 'b'] } })
  assert.deepEqual(phrase, { before: 'invited', after: ' as viewer', given: 'more: a, b' })
  const unknown = phraseOf({ action: 'toString', detail: {} })
  assert.deepEqual(unknown, { before: 'did “to string”:', after: '', given: '' })
})
