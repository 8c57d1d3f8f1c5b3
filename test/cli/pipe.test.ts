import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
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
      // Each request may log a line that nobody reads.
      const response = await fetch(`${service.url}/emails/x`)
      await response.arrayBuffer()
      assert.equal(response.status, 401)
    }
    const { code, stderr } = await service.stop()
    assert.deepEqual([code, stderr], [0, ''])
  })
})
