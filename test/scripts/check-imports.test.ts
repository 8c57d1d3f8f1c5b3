import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Import, idleEntries, importsIn, importsUnder, violations } from '../../scripts/check-imports.ts'

const source = fileURLToPath(new URL('../../src', import.meta.url))

function importOf(from: string, to: string, typeOnly = false): Import {
  return { from, to, typeOnly }
}

describe('the direction of imports', () => {
  test('holds in src', () => {
    const imports = importsUnder(source)
    assert.ok(imports.length > 50, 'the imports were found')
    assert.deepEqual(violations(imports), [])
    assert.deepEqual(idleEntries(imports), [])
  })

  test('is seen in every form of import', () => {
    const text = [
      "import { a } from './a.ts'",
      "import type { B } from '../b.ts'",
      "import { type C } from './c.ts'",
      "import {\n  d,\n  type D,\n} from './d.ts'",
      "import './e.ts'",
      "export { f } from './f.ts'",
      "export type { G } from './g.ts'",
      "import * as h from './h.ts'",
      "import { readFile } from 'node:fs'",
      "const i = await import('./i.ts')",
      "new Worker(new URL('./j.ts', import.meta.url))",
    ].join('\n')
    assert.deepEqual(
      importsIn(text).map(({ specifier, typeOnly }) => (typeOnly ? `type ${specifier}` : specifier)),
      [
        './a.ts',
        'type ../b.ts',
        './c.ts',
        './d.ts',
        './e.ts',
        './f.ts',
        'type ./g.ts',
        './h.ts',
        './i.ts',
        './j.ts',
      ],
    )
  })

  test('names what the table allows and nobody does', () => {
    const table = { 'app.ts': 'everything' as const, store: ['mail', 'events/event.ts (types)', 'dns'] }
    const imports = [
      importOf('store/a.ts', 'mail/b.ts', true),
      importOf('store/a.ts', 'events/event.ts', true),
    ]
    assert.deepEqual(idleEntries(imports, table), [
      'store may import mail, and imports types only',
      'store may import dns, and does not',
    ])
    assert.deepEqual(idleEntries([...imports, importOf('store/a.ts', 'mail/b.ts')], table), [
      'store may import dns, and does not',
    ])
  })

  test('forbids what the table does not allow', () => {
    const table = { 'app.ts': 'everything' as const, mail: [], store: ['mail (types)', 'events/event.ts'] }
    const check = (each: Import) => violations([each], table)
    assert.deepEqual(check(importOf('app.ts', 'store/a.ts')), [])
    assert.deepEqual(check(importOf('mail/a.ts', 'mail/sub/b.ts')), [])
    assert.deepEqual(check(importOf('store/a.ts', 'mail/b.ts', true)), [])
    assert.deepEqual(check(importOf('store/a.ts', 'events/event.ts')), [])
    assert.deepEqual(check(importOf('store/a.ts', 'mail/b.ts')), ['store/a.ts must not import mail/b.ts'])
    assert.deepEqual(check(importOf('store/a.ts', 'events/events.ts')), [
      'store/a.ts must not import events/events.ts',
    ])
    assert.deepEqual(check(importOf('mail/a.ts', 'store/b.ts', true)), [
      'mail/a.ts must not import types of store/b.ts',
    ])
    assert.equal(check(importOf('unheard-of/a.ts', 'mail/b.ts')).length, 1)
  })

  test('forbids circles, but not circles of types', () => {
    const circle = [importOf('mail/a.ts', 'mail/b.ts'), importOf('mail/b.ts', 'mail/c.ts')]
    assert.deepEqual(violations(circle), [])
    assert.deepEqual(violations([...circle, importOf('mail/c.ts', 'mail/a.ts', true)]), [])
    assert.deepEqual(violations([...circle, importOf('mail/c.ts', 'mail/a.ts')]), [
      'imports go in a circle: mail/a.ts -> mail/b.ts -> mail/c.ts -> mail/a.ts',
    ])
  })
})
