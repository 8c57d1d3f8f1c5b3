import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { bin, newWorkplace, runProgram, type Workplace } from './postroad.ts'

describe('bin/postroad, in a checkout', () => {
  let place: Workplace
  let launcher = ''
  before(() => {
    place = newWorkplace()
    launcher = join(place.folder, 'check out', 'bin', 'postroad')
    mkdirSync(join(place.folder, 'check out', 'bin'), { recursive: true })
    mkdirSync(join(place.folder, 'path'))
    copyFileSync(bin, launcher)
    chmodSync(launcher, 0o755)
  })
  after(() => place.remove())

  function nodeOfVersion(path: string, version: string): void {
    writeFileSync(path, `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || printf '%s|' "$@"\n`)
    chmodSync(path, 0o755)
  }
  const run = (...args: string[]) =>
    runProgram(launcher, args, { env: { PATH: `${join(place.folder, 'path')}:/usr/bin:/bin` } })

  test('without dependencies, says how to get them', async () => {
    const { code, stdout, stderr } = await run('serve')
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(
      stderr,
      /^postroad: the dependencies are not installed: run npm start or npm ci first \(in .*check out\)\n$/,
    )
  })

  test('with an older Node.js only, says so in one line', async () => {
    mkdirSync(join(place.folder, 'check out', 'node_modules', 'commander'), { recursive: true })
    nodeOfVersion(join(place.folder, 'path', 'node'), 'v22.3.0')
    const { code, stdout, stderr } = await run('serve')
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^postroad: Node\.js 24 or later is needed, but .* is v22\.3\.0: .*\n$/)
  })

  test('runs the program with the Node.js of the path, or rather with its own', async () => {
    nodeOfVersion(join(place.folder, 'path', 'node'), 'v25.0.0')
    const { stdout } = await run('email', 'show', 'a b')
    assert.match(stdout, /^(?:--[a-z-]+(?:=\d+)?\|)*\/.*check out\/src\/main\.ts\|email\|show\|a b\|$/)

    mkdirSync(join(place.folder, 'check out', 'node_modules', '.bin'))
    nodeOfVersion(join(place.folder, 'path', 'node'), 'v18.0.0')
    nodeOfVersion(join(place.folder, 'check out', 'node_modules', '.bin', 'node'), 'v24.0.0')
    assert.equal((await run('queue')).code, 0)
  })

  test('runs the built program, unless a source is newer, or was put there later', async () => {
    const path = (...names: string[]) => join(place.folder, 'check out', ...names)
    for (const folder of ['src', 'dist']) mkdirSync(path(folder), { recursive: true })
    const [source, built] = [path('src', 'other.ts'), path('dist', 'main.js')]
    for (const file of [path('package-lock.json'), source, built]) writeFileSync(file, '')
    utimesSync(path('package-lock.json'), 900, 900)
    /** Sets the time of its content; the time of its change is later than that of the other file then. */
    const later = async (file: string, seconds: number) => {
      const other = file === source ? built : source
      do {
        utimesSync(file, seconds, seconds)
        await new Promise((resolve) => setImmediate(resolve))
      } while (statSync(file).ctimeMs <= statSync(other).ctimeMs)
    }
    const started = async () => (await run('queue')).stdout
    utimesSync(source, 1_000, 1_000)
    await later(built, 1_001)
    assert.match(await started(), /check out\/dist\/main\.js\|queue\|$/)
    utimesSync(source, 1_002, 1_002)
    assert.match(await started(), /check out\/src\/main\.ts\|queue\|$/)
    utimesSync(source, 1_000, 1_000)
    await later(built, 1_001)
    assert.match(await started(), /check out\/dist\/main\.js\|queue\|$/)
    writeFileSync(path('package-lock.json'), '')
    assert.match(await started(), /check out\/src\/main\.ts\|queue\|$/)
    utimesSync(path('package-lock.json'), 900, 900)
    await later(built, 1_001)
    assert.match(await started(), /check out\/dist\/main\.js\|queue\|$/)
    // As tar and rsync do.
    await later(source, 900)
    assert.match(await started(), /check out\/src\/main\.ts\|queue\|$/)
  })
})
