import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { PostgresCluster } from '../../harness/postgres-cluster.ts'
import { createDatabase, execute, freshDatabase, withoutPostgres } from './postgres.ts'

const skip = withoutPostgres()

describe('PostgreSQL for tests', { skip }, () => {
  test('each database is new and empty', async (t) => {
    const [one, other] = [await freshDatabase(t), await freshDatabase(t)]
    assert.notEqual(one, other)
    await execute(one, 'CREATE TABLE t (n integer)')
    assert.deepEqual(await execute(other, "SELECT to_regclass('t') IS NULL AS none"), [{ none: true }])
  })

  for (const mode of ['fast', 'immediate', 'kill'] as const) {
    test(`a server of one's own keeps its data over a restart (${mode})`, async () => {
      await using cluster = await PostgresCluster.start()
      const url = await createDatabase(cluster.url)
      await execute(url, 'CREATE TABLE t AS SELECT 7 AS n')
      const before = cluster.pid
      await cluster.restart(mode)
      assert.notEqual(cluster.pid, before)
      assert.deepEqual(await execute(url, 'SELECT n FROM t'), [{ n: 7 }])
      await cluster.stop()
      await assert.rejects(execute(url, 'SELECT 1'), { code: 'ECONNREFUSED' })
    })
  }

  test('the server ends with the process that started it, even by kill -9', async () => {
    const program = fileURLToPath(new URL('../../harness/postgres-cluster.ts', import.meta.url))
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const { url } = JSON.parse(line) as { url: string }
    const [row] = await execute<{ pid: number }>(url, 'SELECT pg_backend_pid() AS pid')
    assert.ok(row!.pid > 0)
    child.kill('SIGKILL')
    await once(child, 'exit')
    for (;;) {
      const refused = await execute(url, 'SELECT pg_sleep(0.05)').then(
        () => false,
        (error: { code?: string }) => error.code === 'ECONNREFUSED',
      )
      if (refused) break
    }
  })
})
