import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDkimKey } from '../../src/accounts/key-making.ts'

test('companies take turns to make RSA keys, and no other key waits for them', async () => {
  const made: string[] = []
  const make = async (company: string, algorithm: 'rsa-sha256' | 'ed25519-sha256' = 'rsa-sha256') => {
    const key = await makeDkimKey(company, algorithm)
    made.push(`${company} ${key.algorithm}`)
  }
  await Promise.all([make('a'), make('a'), make('a'), make('b'), make('c', 'ed25519-sha256')])
  const rsa = made.filter((each) => each.endsWith('rsa-sha256'))
  assert.deepEqual(
    rsa.map((each) => each[0]),
    ['a', 'a', 'b', 'a'],
  )
  assert.equal(made.length, 5)
  await make('b')
})
