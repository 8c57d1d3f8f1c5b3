import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { bin, newWorkplace, runProgram, type Workplace } from './postroad.ts'

let place: Workplace
before(() => {
  place = newWorkplace()
})
after(() => place.remove())

describe('the command', { concurrency: 4 }, () => {
  test('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    assert.deepEqual(await place.run('--version'), { code: 0, stdout: `${version}\n`, stderr: '' })
  })

  const commands = [
    ['serve'],
    ['company', 'create'],
    ['company', 'list'],
    ['company', 'show'],
    ['company', 'limit'],
    ['company', 'update'],
    ['company', 'rotate-signing-key'],
    ['domain', 'add'],
    ['domain', 'verify'],
    ['domain', 'activate'],
    ['domain', 'suspend'],
    ['domain', 'update'],
    ['domain', 'remove'],
    ['domain', 'list'],
    ['domain', 'show'],
    ['domain', 'rotate'],
    ['key', 'create'],
    ['key', 'list'],
    ['key', 'rename'],
    ['key', 'revoke'],
    ['key', 'rotate'],
    ['user', 'link'],
    ['user', 'list'],
    ['user', 'invite'],
    ['user', 'role'],
    ['user', 'operator'],
    ['user', 'remove'],
    ['bounce', 'list'],
    ['bounce', 'show'],
    ['email', 'list'],
    ['email', 'show'],
    ['email', 'cancel'],
    ['email', 'delete'],
    ['email', 'reschedule'],
    ['queue'],
    ['queue', 'retry'],
    ['queue', 'quarantine'],
    ['queue', 'release'],
    ['queue', 'pause'],
    ['queue', 'resume'],
    ['queue', 'pauses'],
    ['bounce', 'read'],
    ['suppression', 'list'],
    ['suppression', 'add'],
    ['suppression', 'remove'],
    ['suppression', 'import'],
    ['suppression', 'export'],
    ['suppression', 'allow'],
    ['suppression', 'disallow'],
    ['suppression', 'allowed'],
    ['webhook', 'add'],
    ['webhook', 'list'],
    ['webhook', 'show'],
    ['webhook', 'remove'],
    ['webhook', 'enable'],
    ['webhook', 'disable'],
    ['webhook', 'rotate'],
    ['webhook', 'attempts'],
    ['webhook', 'replay'],
    ['webhook', 'test'],
    ['request', 'list'],
    ['request', 'show'],
    ['node', 'list'],
    ['dmarc'],
    ['tls-report'],
    ['site', 'list'],
    ['site', 'show'],
    ['doctor'],
    ['explain'],
    ['events'],
    ['backup'],
    ['migrate'],
    ['migrate-data'],
    ['settings'],
  ]
  for (const command of commands) {
    test(`shows ${command.join(' ')} by examples`, async () => {
      const { code, stdout, stderr } = await place.run(...command, '--help')
      assert.deepEqual([code, stderr], [0, ''])
      assert.match(stdout, new RegExp(`^Usage: postroad ${command.join(' ')}`))
      assert.match(stdout, /--json/)
      assert.match(stdout, new RegExp(`Examples:\\n(.*\\n)*? .*postroad ${command.join(' ')}`))
      const prose = stdout.split('\n').filter((line) => !/^ .*postroad /.test(line))
      assert.deepEqual(
        prose.filter((line) => line.length > 80),
        [],
      )
    })
  }

  for (const group of [
    'company',
    'domain',
    'key',
    'email',
    'suppression',
    'webhook',
    'node',
    'site',
    'user',
  ]) {
    test(`lists the actions on a ${group}`, async () => {
      const { stdout } = await place.run(group, '--help')
      const [, listed] = /\nCommands:\n((?: .*\n)+)/.exec(stdout)!
      const names = [...listed!.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name)
      const examples = [...stdout.matchAll(new RegExp(`^ {2}postroad ${group} (\\w+)`, 'gm'))].map(
        ([, name]) => name,
      )
      assert.ok(examples.length > 0)
      for (const name of examples) assert.ok(names.includes(name), `${name} of ${names}`)
    })
  }

  test('explains the same after the word help', async () => {
    for (const command of [[], ['queue'], ['queue', 'pause']]) {
      const [asked, said] = [await place.run('help', ...command), await place.run(...command, '--help')]
      assert.deepEqual(asked, said)
      assert.equal(asked.code, 0)
    }
  })

  test('explains the first steps and the exit codes', async () => {
    const { stdout } = await place.run('--help')
    for (const step of ['serve', 'company create', 'domain add', 'domain verify', 'key create']) {
      assert.match(stdout, new RegExp(`^ {2}postroad ${step}\\b`, 'm'))
    }
    assert.match(stdout, /Exit codes: 0 success; 1 failure/)
    assert.match((await place.run('email', 'show', '--help')).stdout, /^ {2}quarantined {2}not attempted/m)
  })

  const wrong = [
    [],
    ['frobnicate'],
    ['--frobnicate'],
    ['company'],
    ['company', 'create'],
    ['company', 'list', '--frobnicate'],
    ['company', 'list', 'frobnicate'],
    ['key', 'create'],
    ['explain'],
    ['explain', 'nobody'],
    ['email', 'list', '--limit', 'many'],
    ['email', 'list', '--limit', '0'],
    ['domain', 'add', 'x.test'],
    ['domain', 'rotate'],
    ['domain', 'rotate', 'x.test', '--force'],
    ['domain', 'rotate', 'x.test', '--cancel', '--finish'],
    ['domain', 'update', 'x.test'],
    ['domain', 'update', 'x.test', '--open-tracking', 'maybe'],
    ['user', 'invite', 'ada@x.test'],
    ['user', 'invite', 'nobody', '--operator'],
    ['user', 'invite', 'ada@x.test', '--operator', '--company', 'Acme'],
    ['user', 'role', 'ada@x.test', 'king', '--company', 'Acme'],
    ['company', 'limit', 'Acme'],
    ['company', 'limit', 'Acme', '--rate', '0'],
  ]
  for (const args of wrong) {
    test(`ends with 2 and words on stderr when called as "postroad ${args.join(' ')}"`, async () => {
      const { code, stdout, stderr } = await place.run(...args)
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, args.length === 0 || args.join() === 'company' ? /^Usage: / : /^postroad: /)
    })
  }

  test('names a malformed argument, and what was meant, in plain words', async () => {
    const { stderr } = await place.run('explain', 'nobody')
    assert.match(stderr, /^postroad: "nobody" cannot be <address>\. [A-Z"]/)
    assert.doesNotMatch(stderr, /command-argument/)
    const meant = await place.run('explain', 'a@x.test', '--from', 'https://acme.test/')
    assert.match(meant.stderr, /Did you mean acme\.test\?$/m)
  })

  const unknown = [['migrat'], ['migrat', '--help'], ['company', 'lisst', '--help']]
  for (const args of [...unknown, ['queue', 'pasue'], ['queue', 'pasue', '--help']]) {
    test(`says that there is no such command as "postroad ${args.join(' ')}"`, async () => {
      const { code, stdout, stderr } = await place.run(...args)
      assert.deepEqual([code, stdout], [2, ''])
      const name = args.filter((arg) => arg !== '--help').at(-1)
      assert.match(stderr, new RegExp(`^postroad: unknown command '${name}'`))
    })
  }

  test('runs through symbolic links, from anywhere', async () => {
    mkdirSync(join(place.folder, 'a b'))
    symlinkSync(bin, join(place.folder, 'a b', 'absolute'))
    symlinkSync('absolute', join(place.folder, 'a b', 'relative'))
    symlinkSync('a b/relative', join(place.folder, 'twice'))
    for (const path of ['a b/absolute', 'a b/relative', 'twice']) {
      const { code, stderr } = await runProgram(join(place.folder, path), ['--version'], {
        cwd: '/',
        env: place.env,
      })
      assert.deepEqual([code, stderr], [0, ''], path)
    }
  })

  test('shows settings with their origin, and secrets masked', async () => {
    writeFileSync(join(place.folder, '.env'), 'POSTROAD_DELIVERY=smtp://user:hunter2@relay.test\n')
    const { code, stdout } = await place.run('settings')
    assert.equal(code, 0)
    assert.match(stdout, /^POSTROAD_DELIVERY +smtp:\/\/\*\*\*@relay\.test +\.env$/m)
    assert.match(stdout, /^POSTROAD_HOSTNAME +mail\.service\.test +environment$/m)
    assert.ok(!stdout.includes('hunter2'))
  })

  test('finds what is wrong in the sites file before the service does', async () => {
    const other = newWorkplace({ POSTROAD_SITES: 'bad.toml' })
    writeFileSync(join(other.folder, 'bad.toml'), '[default]\nsessions = -1\n')
    for (const args of [['serve'], ['settings']]) {
      const { code, stdout, stderr } = await other.run(...args)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /^postroad: .*bad\.toml, line 2: sessions -1: a whole number .*\n$/)
    }
    other.remove()
  })

  test('says in one line which setting is wrong', async () => {
    const other = newWorkplace({ POSTROAD_LISTEN: 'nowhere' })
    for (const args of [['serve'], ['company', 'list'], ['settings']]) {
      const { code, stdout, stderr } = await other.run(...args)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /^postroad: POSTROAD_LISTEN is "nowhere".*\n$/)
    }
    other.remove()
  })
})
