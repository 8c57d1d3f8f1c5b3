import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url))

/** A checkout of our scripts with an npm that only notes its calls and "installs" the packages of the lock file. */
describe('npm start', () => {
  let folder = ''
  let root = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'postroad start '))
  })
  after(() => rmSync(folder, { recursive: true }))

  beforeEach(() => {
    root = mkdtempSync(join(folder, 'check out '))
    cpSync(scripts, join(root, 'scripts'), { recursive: true })
    mkdirSync(join(root, 'bin'))
    mkdirSync(join(root, 'path'))
    // Whatever stands above the folder of the test.
    writeFileSync(join(root, 'package.json'), '{}')
    lock('1.0.0')
    npm([`cp '${root}/package-lock.json' '${root}/node_modules/.package-lock.json'`])
    program('bin/postroad', ['printf "%s|" "$@"', 'exit 3'])
  })

  function npm(install: string[]): void {
    program('path/npm', [
      `echo "$@" >> '${root}/npm-calls'`,
      'echo noise of npm; echo more noise >&2',
      `[ -e '${root}/broken' ] && exit 7`,
      `mkdir -p '${root}/node_modules/.bin'`,
      `touch '${root}/node_modules/.bin/node'`,
      ...install,
    ])
  }
  function program(path: string, lines: string[]): void {
    writeFileSync(join(root, path), ['#!/bin/sh', ...lines, ''].join('\n'))
    chmodSync(join(root, path), 0o755)
  }
  function lock(version: string, more = {}): void {
    const packages = {
      '': { name: 'x' },
      'node_modules/a': { version },
      'node_modules/elsewhere': { version, optional: true },
      ...more,
    }
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }))
  }
  const npmCalls = () => readFileSync(join(root, 'npm-calls'), 'utf8').trimEnd().split('\n')

  function start(...args: string[]) {
    const env = { PATH: `${join(root, 'path')}:${process.env.PATH}`, NODE_ENV: 'production' }
    const child = spawn(process.execPath, [join(root, 'scripts', 'start.mjs'), ...args], { cwd: '/', env })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      child.on('close', (code) => resolve({ code, stdout, stderr }))
    })
    return { child, ended }
  }

  test('installs the dependencies of the service quietly, then serves with the arguments and exit code passed on', async () => {
    const { code, stdout, stderr } = await start('--json', 'a b').ended
    assert.deepEqual([code, stdout], [3, 'serve|--json|a b|'])
    assert.match(stderr, /^Installing the dependencies[^\n]*\nInstalled in \d+ s\.\n$/)
    assert.match(npmCalls()[0]!, /^ci --omit=dev/)
  })

  test('installs nothing again, until package-lock.json changes', async () => {
    await start().ended
    const { stderr } = await start().ended
    assert.equal(stderr, '')
    assert.equal(npmCalls().length, 1)
    lock('1.0.1')
    await start().ended
    assert.equal(npmCalls().length, 2)
  })

  test('installs a package for this machine that is missing, and leaves out those for others', async () => {
    await start().ended
    const packages = {
      'node_modules/a': { version: '1.0.0' },
      'node_modules/here': {
        version: '1.0.0',
        optional: true,
        os: [process.platform],
        cpu: process.arch,
        bin: { node: 'bin/node' },
      },
      'node_modules/there': { version: '1.0.0', optional: true, os: 'aix', cpu: 'ppc64' },
      'node_modules/not-here': {
        version: '1.0.0',
        optional: true,
        os: `!${process.platform}`,
        cpu: process.arch,
      },
    }
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }))
    assert.equal((await start().ended).code, 3)
    assert.equal(npmCalls().length, 2)
    assert.match(npmCalls()[1]!, /--include=optional --ignore-scripts/)
    assert.equal((await start().ended).stderr, '')
  })

  test('says that this Node.js is too old where no package brings another', async () => {
    const packages = { '': { engines: { node: '>=999.1.0' } }, 'node_modules/a': { version: '1.0.0' } }
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }))
    const { code, stderr } = await start().ended
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^Node\.js 999\.1\.0 or later is needed, and this is \d+\.\d+\.\d+\. No package [^\n]+\n$/,
    )
    assert.throws(npmCalls)
  })

  test('recognizes packages that another command has installed', async () => {
    mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true })
    writeFileSync(join(root, 'node_modules', '.bin', 'node'), '')
    const packages = { 'node_modules/a': { version: '1.0.0' } }
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }))
    const { code, stderr } = await start().ended
    assert.deepEqual([code, stderr], [3, ''])
  })

  test('shows the output of npm when it failed, and does not serve', async () => {
    writeFileSync(join(root, 'broken'), '')
    const { code, stdout, stderr } = await start().ended
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /noise of npm\nmore noise\n\nnpm ci failed \(exit code 7\)/)
  })

  describe('with the sources of the console', () => {
    /** `build`: in place of what builds its page. The service ends once that has begun, and `until` holds; PID: what started it. */
    function withConsole(build: string, until = 'true'): void {
      const begun = join(root, 'begun')
      mkdirSync(join(root, 'console'))
      const note = `require('node:fs').writeFileSync(${JSON.stringify(begun)}, String(process.ppid))`
      writeFileSync(join(root, 'scripts', 'build-console.ts'), `${note}; ${build}`)
      writeFileSync(join(root, 'scripts', 'build-program.ts'), '')
      const wait = (condition: string) => `until ${condition}; do sleep 0.01; done`
      program('bin/postroad', [
        wait(`[ -s '${begun}' ]`),
        wait(until.replace('PID', `$(cat '${begun}')`)),
        'exit 3',
      ])
    }

    test('builds its page beside the service, in silence', async () => {
      await start().ended
      withConsole("console.log('noise'); console.error('noise')", '! kill -0 PID 2>/dev/null')
      const { code, stdout, stderr } = await start().ended
      assert.deepEqual([code, stdout, stderr], [3, '', ''])
    })

    test('installs the build dependencies once', async () => {
      lock('1.0.0', { 'node_modules/builder': { version: '1.0.0', dev: true } })
      const without = `sed 's/,"[a-z_]*.builder":{[^}]*}//'`
      npm([`${without} '${root}/package-lock.json' > '${root}/node_modules/.package-lock.json'`])
      withConsole('', '! kill -0 PID 2>/dev/null')
      for (let starts = 0; starts < 2; starts++) assert.equal((await start().ended).code, 3)
      assert.deepEqual(
        npmCalls().map((call) => call.split(' --include=optional')[0]),
        ['ci --omit=dev', 'install --no-save --include=dev --workspace=console'],
      )
    })

    test('shows the error of the build, and goes on', async () => {
      await start().ended
      withConsole("console.error('no such module'); process.exitCode = 1", '! kill -0 PID 2>/dev/null')
      const { code, stderr } = await start().ended
      assert.equal(code, 3)
      assert.match(
        stderr,
        /^no such module\n\nThe page of the console could not be built\. The service goes on\.\n$/,
      )
    })

    test('ends the build together with the service', async () => {
      await start().ended
      withConsole('setInterval(() => {}, 1_000)')
      const { code, stderr } = await start().ended
      assert.deepEqual([code, stderr], [3, ''])
    })
  })

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    test(`passes ${signal} on and waits for the end`, async () => {
      await start().ended
      // Not a trap of the shell: it cannot catch a signal that was ignored when the tests were started (nohup).
      const stopping = `process.on('${signal}', () => { console.log('stopped'); process.exit(0) })`
      const waiting = `console.log('up'); setInterval(() => {}, 1_000)`
      program('bin/postroad', [`exec '${process.execPath}' -e "${stopping}; ${waiting}"`])
      const { child, ended } = start()
      await new Promise((resolve) => child.stdout.once('data', resolve))
      child.kill(signal)
      const { code, stdout } = await ended
      assert.deepEqual([code, stdout], [0, 'up\nstopped\n'])
    })
  }

  test('leaves nothing running when the npm it runs under is killed', async () => {
    await start().ended
    program('bin/postroad', ["trap 'echo stopped; exit 0' TERM", 'echo up', 'while :; do sleep 0.01; done'])
    const script = `'${process.execPath}' '${join(root, 'scripts', 'start.mjs')}' & wait`
    const npm = spawn('/bin/sh', ['-c', script], {
      env: { PATH: process.env.PATH, npm_lifecycle_event: 'start' },
    })
    let stdout = ''
    const closed = once(npm.stdout, 'close')
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (stdout === 'up\n') npm.kill('SIGKILL')
    })
    await closed
    assert.equal(stdout, 'up\nstopped\n')
  })

  test('ends like a program that a signal ended', async () => {
    await start().ended
    program('bin/postroad', ['kill -KILL $$'])
    assert.equal((await start().ended).code, 137)
  })
})
