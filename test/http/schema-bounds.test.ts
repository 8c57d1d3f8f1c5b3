/**
 * Everything in a request is bounded: the schema of a declared route has no text, array or map without an upper bound,
 * and no value that may nest without end. A new route needs no line here.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startService } from '../support/service.ts'
import { allApis } from './all-routes.ts'
import { assertFormError, assertJsonError, basic, call } from './requests.ts'
import { type Unbounded, unboundedIn } from './unbounded.ts'

const PARTS = ['params', 'querystring', 'body'] as const

test('a value longer than its schema allows is refused with its name, in the format of each dialect', async (t) => {
  const service = await startService()
  t.after(() => service.close())
  const { company, domain } = await service.tenant('long.test')
  const { token } = await service.key(company.id, { scopes: ['reading', 'management'] })
  const made = await call(`${service.url}/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'n'.repeat(2_000) }),
  })
  assertJsonError(made, 422, 'validation_error', /`name` field.* must have 1000 characters or less/)
  const stats = `${service.url}/v3/${domain.name}/stats/total?event=opened&duration=${'1'.repeat(200)}d`
  const counted = await call(stats, { headers: { authorization: basic(token) } })
  assertFormError(counted, 400, /duration.* must have 100 characters or less/)
  const unknown = await call(`${service.url}/v3/${'d'.repeat(2_000)}/tags`, {
    headers: { authorization: basic(token) },
  })
  assertFormError(unknown, 404, /Domain not found/)
})

describe('schemas of requests', () => {
  for (const api of allApis()) {
    const { endpoints = [], prefixes } = api
    test(`${endpoints.length} routes under ${prefixes.join(', ')} bound all their input`, () => {
      const found: string[] = []
      for (const { method, url, schema } of endpoints) {
        for (const part of PARTS) {
          const given = schema[part]
          if (given === undefined) continue
          found.push(...unboundedIn(given).map(({ at, what }) => `${method} ${url} ${part}${at}: ${what}`))
        }
      }
      assert.equal(found.join('\n'), '')
    })
  }

  const cases: [schema: object, what: string | null][] = [
    [{ type: 'string' }, 'text without maxLength'],
    [{ type: 'string', maxLength: 9 }, null],
    [{ enum: ['a'] }, null],
    [{ const: 'a' }, null],
    [{ type: 'string', pattern: '^[a-z]{2,9}$' }, 'text without maxLength'],
    [{ type: 'array', items: { type: 'integer' } }, 'array without maxItems'],
    [{ type: 'array', maxItems: 9, items: { type: 'string' } }, 'text without maxLength'],
    [{ type: 'array', maxItems: 9 }, 'any value'],
    [
      { type: 'array', maxItems: 9, uniqueItems: true, items: { type: 'object', properties: {} } },
      'objects compared with each other',
    ],
    [{ type: 'object' }, 'map without maxProperties'],
    [{ type: 'object', properties: {} }, null],
    [{ type: 'object', properties: { a: { type: 'string' } } }, 'text without maxLength'],
    [{ type: 'object', additionalProperties: { type: 'integer' } }, 'map without maxProperties'],
    [
      { type: 'object', maxProperties: 9, additionalProperties: { type: 'integer' } },
      'names without maxLength',
    ],
    [
      { type: 'object', maxProperties: 9, propertyNames: { maxLength: 9 }, additionalProperties: true },
      'any value',
    ],
    [{ type: 'object', patternProperties: { '^a': { type: 'integer' } } }, 'map without maxProperties'],
    [{}, 'any value'],
    [{ $ref: '#' }, 'any value'],
    [{ anyOf: [{ type: 'null' }, { type: 'string' }] }, 'text without maxLength'],
    [{ type: ['string', 'null'] }, 'text without maxLength'],
    [{ type: ['integer', 'null'] }, null],
  ]
  for (const [schema, what] of cases) {
    test(`${JSON.stringify(schema)}: ${what ?? 'bounded'}`, () => {
      assert.deepEqual(
        unboundedIn(schema).map((found: Unbounded) => found.what),
        what === null ? [] : [what],
      )
    })
  }
})
