import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newWorkplaceOnEngine, serve } from './postroad.ts'

interface ListedKey {
  token_start: string
  last_used: { at: string; address: string; client: string } | null
}

test('a list of keys shows the beginning of each token, and the last use of each key', async (t) => {
  const place = await newWorkplaceOnEngine({ POSTROAD_LOG_LEVEL: 'warn' })
  t.after(() => place.remove())
  const service = await serve(place, ['--json'], /\}\}\n/)
  const { token } = JSON.parse(service.stdout()).firstStart as { token: string }
  await place.json('key', 'create', '--company', 'Acme', '--name', 'unused')
  const since = Date.now()
  const answer = await fetch(`${service.url}/emails/none`, {
    headers: { authorization: `Bearer ${token}`, 'user-agent': `app/1 ${'x'.repeat(500)}` },
  })
  assert.equal(answer.status, 404)
  await service.stop()

  const { last_used: use, token_start: start } = (await keys()).find(({ last_used }) => last_used !== null)!
  assert.ok(token.startsWith(start))
  assert.equal(start.length, 7)
  assert.ok(Date.parse(use!.at) >= since)
  assert.match(use!.client, /^app\/1 x{100,200}/)
  assert.match(use!.address, /127\.0\.0\.1$/)
  assert.equal((await keys()).filter(({ last_used }) => last_used === null).length, 1)
  const { stdout } = await place.run('key', 'list')
  assert.ok(stdout.includes(`${start}…`))

  async function keys(): Promise<ListedKey[]> {
    return await place.json<ListedKey[]>('key', 'list')
  }
})
