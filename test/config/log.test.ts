import assert from 'node:assert/strict'
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
