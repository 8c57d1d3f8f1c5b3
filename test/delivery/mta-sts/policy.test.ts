import assert from 'node:assert/strict'
import { test } from 'node:test'
import { permitsHost, policyId, readPolicy } from '../../../src/delivery/mta-sts/policy.ts'

const FILE = [
  'version: STSv1',
  'mode: enforce',
  'mx: mail.example.com',
  'mx: *.Example.net',
  'max_age: 604800',
]

test('the ID comes from the only MTA-STS record', () => {
  assert.equal(policyId(['v=STSv1; id=20160831085700Z;']), '20160831085700Z')
  assert.equal(policyId(['v=STSv1;id=a', 'v=spf1 -all']), 'a')
  assert.equal(policyId(['v=STSv1; more=x; id=a']), 'a')
  for (const none of [
    [],
    ['v=STSv1'],
    ['v=STSv1; id='],
    ['v=STSv10; id=a'],
    ['id=a; v=STSv1'],
    ['v = STSv1; id=a'],
  ]) {
    assert.equal(policyId(none), null, none.join())
  }
  assert.equal(policyId(['v=STSv1; id=a', 'v=STSv1; id=b']), null)
  assert.equal(policyId([`v=STSv1; id=${'a'.repeat(33)}`]), null)
})

test('a policy is read with either line end, and unknown fields are ignored', () => {
  const read = { mode: 'enforce', mx: ['mail.example.com', '*.example.net'], maxAge: 604_800 }
  assert.deepEqual(readPolicy(FILE.join('\n')), read)
  assert.deepEqual(readPolicy(`${FILE.join('\r\n')}\r\nfuture: x:y\r\n`), read)
  assert.deepEqual(readPolicy([...FILE, 'mode: none', 'max_age: 1'].join('\n')), read)
})

test('a policy of mode none needs no hosts; its age is bounded', () => {
  const text = 'version:STSv1\nmode:none\nmax_age:9999999999'
  assert.deepEqual(readPolicy(text), { mode: 'none', mx: [], maxAge: 31_557_600 })
})

test('an invalid file is not taken for a policy', () => {
  const without = (start: string) => FILE.filter((line) => !line.startsWith(start)).join('\n')
  const broken = [
    '',
    '<html>',
    without('version'),
    without('mode'),
    without('mx'),
    without('max_age'),
    FILE.join('\n').replace('STSv1', 'STSv2'),
    FILE.join('\n').replace('enforce', 'strict'),
    FILE.join('\n').replace('604800', '1h'),
    FILE.join('\n').replace('604800', '-1'),
    FILE.join('\n').replace('*.Example.net', '*.*.example.net'),
    FILE.join('\n').replace('*.Example.net', 'mx*.example.net'),
    [...FILE, ...Array.from({ length: 100 }, (_, index) => `mx: mx${index}.example.com`)].join('\n'),
  ]
  for (const text of broken) assert.equal(readPolicy(text), null, text)
})

test('an asterisk matches exactly one label', () => {
  const policy = { mx: ['mail.example.com', '*.example.net'] }
  for (const host of ['mail.example.com', 'mx1.example.net'])
    assert.equal(permitsHost(policy, host), true, host)
  for (const host of [
    'example.net',
    'a.b.example.net',
    '.example.net',
    'x.mail.example.com',
    'example.com',
  ]) {
    assert.equal(permitsHost(policy, host), false, host)
  }
})
