import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Passwords, PasswordsBusy } from '../../src/people/password.ts'
import { passwordProblem } from '../../src/people/password-rule.ts'

const somebody = { origin: '192.0.2.1', known: false }

describe('passwords', () => {
  test('are kept as scrypt in PHC string format, each with a salt of its own', async () => {
    const passwords = new Passwords()
    const [one, two] = [
      await passwords.hash('correct enough', somebody),
      await passwords.hash('correct enough', somebody),
    ]
    assert.match(one, /^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    assert.notEqual(one, two)
    assert.equal(await passwords.verify('correct enough', one, somebody), true)
    assert.equal(await passwords.verify('correct enougH', one, somebody), false)
    assert.equal(await passwords.verify('correct enough', null, somebody), false)
  })

  test('are read with the cost they were hashed with: RFC 7914 12', async () => {
    const key =
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640'
    const phc = (text: Buffer) => text.toString('base64').replace(/=+$/, '')
    const stored = `$scrypt$ln=10,r=8,p=16$${phc(Buffer.from('NaCl'))}$${phc(Buffer.from(key, 'hex'))}`
    assert.equal(await new Passwords().verify('password', stored, somebody), true)
  })

  test('are the same however the keyboard composes them', async () => {
    const passwords = new Passwords()
    const stored = await passwords.hash('cafe\u0301 au lait, s’il vous plaît', somebody)
    assert.equal(await passwords.verify('caf\u00e9 au lait, s’il vous plaît', stored, somebody), true)
  })

  test('are hashed one at a time, in turns; known devices go first', async () => {
    const passwords = new Passwords()
    const done: string[] = []
    const ask = async (name: string, origin: string, known = false) => {
      await passwords.verify('wrong one here', null, { origin, known })
      done.push(name)
    }
    await Promise.all([
      ...[ask('a1', 'a'), ask('a2', 'a'), ask('a3', 'a')],
      ...[ask('b1', 'b'), ask('known', 'c', true)],
    ])
    assert.deepEqual(done, ['a1', 'known', 'a2', 'b1', 'a3'])
  })

  test('of known devices do not delay the others for ever', async () => {
    const passwords = new Passwords()
    const done: string[] = []
    const ask = async (name: string, known: boolean) => {
      await passwords.verify('wrong one here', null, { origin: name, known })
      done.push(name)
    }
    const known = Array.from({ length: 6 }, (_, index) => ask(`known ${index}`, true))
    await Promise.all([...known, ask('stranger', false)])
    assert.equal(done.indexOf('stranger'), 3)
  })

  test('that would wait too long are refused, and leave room for others', async () => {
    const passwords = new Passwords()
    const asked = Array.from({ length: 12 }, () => passwords.verify('wrong one here', null, somebody))
    const other = passwords.verify('wrong one here', null, { origin: 'other', known: false })
    const results = await Promise.allSettled(asked)
    const refused = results.filter((each) => each.status === 'rejected')
    assert.equal(refused.length, 3)
    for (const { reason } of refused) assert.ok(reason instanceof PasswordsBusy)
    assert.equal(await other, false)
  })
})

describe('the choice of a password', () => {
  const own = ['grace.hopper@navy.test', 'Grace Hopper']

  test('unusual passwords are accepted', () => {
    for (const password of [
      ...[
        'marmalade on the violin',
        'Xk9#mQ2vLp',
        'tr0ub4dor&3x',
        '犬が庭で月を見ている夜',
        '7391-4820-5563-x',
        'aaazebra-quilt',
      ],
      'x1'.repeat(3) + 'unrelated thoughts'.repeat(13),
    ]) {
      assert.equal(passwordProblem(password, own), null, password)
    }
  })

  test('short, too long and common passwords are refused', () => {
    for (const password of [
      ...[
        '',
        'short',
        '😀😀😀😀😀',
        'x'.repeat(257),
        'aaaaaaaaaaaa',
        'abababababab',
        '1234567890',
        '0987654321!',
      ],
      ...[
        'password12',
        'P@ssw0rd!!',
        'Password2026!',
        'iloveyou123',
        'qwertyuiop',
        'qwerty123456',
        '1q2w3e4r5t6y',
      ],
      ...[
        'gracehopper1',
        'HopperGrace!',
        'navy.test.navy',
        'letmeinletmein',
        'postroad2026',
        'Summer2026!!',
        'Admin@12345',
      ],
    ]) {
      assert.equal(typeof passwordProblem(password, own), 'string', password)
    }
  })

  test('no text takes long to judge', () => {
    for (const text of [
      'a'.repeat(256),
      'ab'.repeat(128),
      '!1'.repeat(128),
      ' 1'.repeat(128),
      'password'.repeat(32),
    ]) {
      const before = process.cpuUsage()
      for (let index = 0; index < 20; index++) passwordProblem(text, own)
      const { user } = process.cpuUsage(before)
      // Each in a few ms: a pattern that looks back would take minutes.
      assert.ok(user < 5_000_000, `${text.slice(0, 10)}: ${user} µs`)
    }
  })
})
