import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { freePort } from '../../harness/free-port.ts'
import { ApiClient } from '../support/api-client.ts'
import { until } from '../support/until.ts'
import { bin, newWorkplace, serve, type Workplace } from './postroad.ts'

describe('a reader that goes away', () => {
  let place: Workplace
  before(() => {
    place = newWorkplace()
  })
  after(() => place.remove())

  test('ends a command without complaint', async () => {
    const child = spawn(bin, ['settings'], { cwd: place.folder, env: place.env })
    child.stdout.destroy()
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    assert.deepEqual([code, stderr], [0, ''])
  })

  test('does not end the service', async () => {
    const service = await serve(place, [], /--raw/)
    service.closeOutput()
    for (let i = 0; i < 3; i++) {
      // Each request may log a line that no program reads.
      const response = await fetch(`${service.url}/emails/x`)
      await response.arrayBuffer()
      assert.equal(response.status, 401)
    }
    const { code, stderr } = await service.stop()
    assert.deepEqual([code, stderr], [0, ''])
  })

  test('does not end a service that has much to say, nor keep it from accepting and delivering', async () => {
    const place = newWorkplace({ POSTROAD_LOG_LEVEL: 'debug' })
    try {
      const service = await serve(place, ['--json'], /"firstStart":\{.*\}\}\n/)
      const line = service
        .stdout()
        .split('\n')
        .find((each) => each.startsWith('{"url"'))!
      const { token, domain } = JSON.parse(line).firstStart as { token: string; domain: string }
      service.closeOutput()
      const api = new ApiClient(service.url, token)
      for (let lines = 0; lines < 1_000; lines++) assert.equal((await api.read('none')).status, 404)
      const email = { from: `a@${domain}`, to: 'to@x.test', subject: 's', text: 't' }
      await api.lastEvent(await api.accepted(email), 'delivered')
      const { code, stderr } = await service.stop()
      assert.deepEqual([code, stderr], [0, ''])
    } finally {
      place.remove()
    }
  })
})

describe('a service whose stdout accepts no output', () => {
  let place: Workplace
  let token = ''
  before(async () => {
    place = newWorkplace()
    const { id } = await place.json<{ id: string }>('company', 'create', 'Acme')
    await place.json('domain', 'add', 'acme.test', '--company', id)
    await place.json('domain', 'activate', 'acme.test')
    token = (await place.json<{ token: string }>('key', 'create', '--company', id, '--name', 'k')).token
  })
  after(() => place.remove())

  const full = existsSync('/dev/full') ? false : 'there is no /dev/full here'
  // What is said at the start is the only line at one level, and lost among others at the other.
  for (const [level, what, skip] of [
    ['warn', 'a pipe that nobody reads', false],
    ['warn', 'a full disk', full],
    ['debug', 'a full disk', full],
  ] as const) {
    test(`goes on: ${what}, logging from ${level} on`, { skip }, async () => {
      const port = await freePort()
      const env = { ...place.env, POSTROAD_LOG_LEVEL: level, POSTROAD_LISTEN: `127.0.0.1:${port}` }
      const stdout = what === 'a pipe that nobody reads' ? 'pipe' : openSync('/dev/full', 'w')
      const child = spawn(bin, ['serve'], { cwd: place.folder, env, stdio: ['ignore', stdout, 'pipe'] })
      place.serving.add(child)
      child.stdout?.destroy()
      if (typeof stdout === 'number') closeSync(stdout)
      let stderr = ''
      child.stderr!.setEncoding('utf8').on('data', (text: string) => {
        stderr += text
      })
      const ended = once(child, 'close')
      const api = new ApiClient(`http://127.0.0.1:${port}`, token)
      const listens = () =>
        api.read('none').then(
          ({ status }) => status === 404,
          () => child.exitCode !== null,
        )
      await until(listens, 'the service to listen')
      const email = { from: 'a@acme.test', to: 'to@x.test', subject: 's', text: 't' }
      await api.lastEvent(await api.accepted(email), 'delivered')
      child.kill('SIGTERM')
      assert.deepEqual([...(await ended), stderr], [0, null, ''])
    })
  }
})
