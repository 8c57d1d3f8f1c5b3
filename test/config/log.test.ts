import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { describe, test } from 'node:test'
import { newToken } from '../../src/accounts/token.ts'
import { createLogger } from '../../src/log.ts'

function logged(pretty: boolean, use: (log: ReturnType<typeof createLogger>) => void): string {
  let text = ''
  const stream = {
    write(line: string) {
      text += line
    },
  }
  use(createLogger('info', { pretty, stream }))
  return text
}

describe('the log', () => {
  for (const pretty of [false, true]) {
    test(`holds no secret, ${pretty ? 'on a terminal' : 'as JSON'}`, () => {
      const { token } = newToken()
      const text = logged(pretty, (log) => {
        log.info(
          {
            authorization: 'Basic hunter2',
            req: {
              headers: {
                authorization: 'Bearer hunter2',
                'proxy-authorization': 'hunter2',
                host: 'kept.test',
              },
            },
            relay: { user: 'kept-user', password: 'hunter2' },
            token: 'hunter2',
          },
          `somebody asked with ${token}`,
        )
        log.error({ err: new Error(`cannot use ${token}`) }, 'failed')
      })
      assert.ok(!text.includes('hunter2'), text)
      assert.ok(!text.includes(token), text)
      for (const kept of [
        'kept.test',
        'kept-user',
        'somebody asked with [redacted]',
        'cannot use [redacted]',
      ]) {
        assert.ok(text.includes(kept), `${kept} is missing: ${text}`)
      }
    })
  }

  test('lets nothing through that a terminal obeys, and means the same as JSON', () => {
    const nasty = '\u001b]0;x\u0007 \u009b2J \u202e \u200b\u{e0041}'
    const write = (log: ReturnType<typeof createLogger>) => {
      log.info({ err: new Error(nasty), answer: { [nasty]: [nasty] } }, nasty)
    }
    const json = logged(false, write)
    assert.doesNotMatch(json, /(?!\n)[\p{Cc}\p{Cf}]/u)
    assert.equal((JSON.parse(json) as { msg: string }).msg, nasty)
    const pretty = logged(true, write)
    assert.doesNotMatch(pretty, /(?!\n)[\p{Cc}\p{Cf}]/u)
    assert.ok(pretty.includes('\\u001b]0;x\\u0007 \\u009b2J \\u202e \\u200b\\u{e0041}'), pretty)
    assert.match(pretty, /\n +at /)
  })

  test('that cannot be written ends nothing and fills no memory', { skip: !existsSync('/dev/full') }, () => {
    const program = `
      import { createLogger } from ${JSON.stringify(new URL('../../src/log.ts', import.meta.url).href)}
      const log = createLogger('info')
      const text = 'x'.repeat(100_000)
      const before = process.memoryUsage.rss()
      for (let n = 0; n < 1_000; n++) log.info(text)
      const grown = process.memoryUsage.rss() - before
      process.stderr.write(grown < 60_000_000 ? 'still here' : String(grown))`
    const full = openSync('/dev/full', 'w')
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    })
    closeSync(full)
    assert.equal(stderr, 'still here')
    assert.equal(status, 0)
  })

  test('is one JSON object a line, with level, time and message, and nothing below its level', () => {
    const text = logged(false, (log) => {
      log.debug('unseen')
      log.warn({ port: 1 }, 'two\nlines')
    })
    const { time, ...rest } = JSON.parse(text.trimEnd())
    assert.deepEqual(rest, { level: 'warn', port: 1, msg: 'two\nlines' })
    assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.equal(text.match(/\n/g)?.length, 1)
  })
})
