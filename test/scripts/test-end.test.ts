/** A test file that would hang until its time is over is ended, and says why. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

const END = new URL('../../scripts/test-end.mjs', import.meta.url).href

describe('the end of a test file', { concurrency: true }, () => {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'postroad-end-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  /** What `npm test` would show of a file with this text, and its exit code. */
  function run(name: string, text: string): Promise<{ code: unknown; shown: string }> {
    const file = join(folder, `${name}.test.ts`)
    writeFileSync(file, text)
    // As a run of its own, not as a part of this one.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    return new Promise((resolve) => {
      execFile(process.execPath, ['--test', `--import=${END}`, file], { env }, (error, stdout, stderr) => {
        resolve({ code: error?.code ?? 0, shown: stdout + stderr })
      })
    })
  }

  test('that has failed in its set-up, with a server open', async () => {
    const { code, shown } = await run(
      'open',
      `import { createServer } from 'node:net'
      import { before, test } from 'node:test'
      before(async () => {
        await new Promise((resolve) => createServer().listen(0, resolve))
        throw new Error('no set-up')
      })
      test('nothing', () => {})`,
    )
    assert.equal(code, 1)
    assert.match(shown, /no set-up/)
    assert.match(shown, /has left open TCPServerWrap\./)
  })

  test('that ends by itself is left alone', async () => {
    const { code, shown } = await run(
      'well',
      `import { test } from 'node:test'
      test('waits with nothing but an unreferenced timer', async () => {
        await new Promise((resolve) => setTimeout(resolve, 100).unref())
      })`,
    )
    assert.equal(code, 0, shown)
  })
})
