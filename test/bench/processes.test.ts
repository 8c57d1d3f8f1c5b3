/** A part of a measurement that ends too early is heard of: nothing waits for it for ever, and nothing stays behind. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { HttpConnection } from '../../bench/load/http-connection.ts'
import { PreparedText } from '../../bench/message.ts'
import { PinnedProcess } from '../../bench/service/pinned-process.ts'
import { ThreadInspector } from '../../harness/thread-inspector.ts'

test('a request over a connection that the server has closed meanwhile fails', async (t) => {
  const server = net.createServer((socket) => socket.end()).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const request = new PreparedText(Buffer.from('GET / HTTP/1.1\r\n\r\n'), 1)
  const { port } = server.address() as AddressInfo
  const connection = await HttpConnection.open('127.0.0.1', port, request)
  await assert.rejects(connection.send(1), /the server closed the connection/)
  await assert.rejects(connection.send(2), /the server closed the connection/)
})

test('the end of a killed process is reported by name, and the process can still be stopped', async (t) => {
  const directory = mkdtempSync(join(os.tmpdir(), 'postroad-bench-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const script = join(directory, 'short-lived.mjs')
  writeFileSync(script, `process.kill(process.pid, 'SIGKILL')`)
  const short = new PinnedProcess('all', new URL(`file://${script}`))
  await assert.rejects(short.hear(), /short-lived\.mjs ended with SIGKILL/)
  await assert.rejects(short.ask({ anything: true }), /short-lived\.mjs/)
  await short.stop()
})

test('a thread that ends during the reading is missing, and the others are there', async (t) => {
  const directory = mkdtempSync(join(os.tmpdir(), 'postroad-bench-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const script = join(directory, 'two-threads.cjs')
  // It is busy when it is asked, and ends before it can answer.
  const worker = `
    const { parentPort } = require('node:worker_threads')
    parentPort.once('message', () => {
      parentPort.postMessage('busy')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
      process.exit()
    })`
  writeFileSync(
    script,
    `const { Worker } = require('node:worker_threads')
    const worker = new Worker(${JSON.stringify(worker)}, { eval: true })
    worker.on('message', () => console.error('busy'))
    process.stdin.once('data', () => worker.postMessage('end'))`,
  )
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', script], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: {},
  })
  t.after(() => child.kill('SIGKILL'))
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const heard = async (words: string) => {
    while (!log.includes(words)) await once(child.stderr, 'data')
  }
  await heard('For help')
  const inspector = await ThreadInspector.connect(/listening on (\S+)/.exec(log)![1]!)
  t.after(() => inspector.close())
  while ((await inspector.sample()).length < 2) await pause(20)
  child.stdin.write('end\n')
  await heard('busy')
  assert.deepEqual(
    (await inspector.sample()).map(({ name }) => name),
    ['main'],
  )
  assert.equal((await inspector.sample()).length, 1)
})

const skip = existsSync('/proc/self') ? false : 'it looks at processes through /proc'

test('a measurement that is interrupted leaves no service and no database behind', { skip }, async (t) => {
  const directory = mkdtempSync(join(os.tmpdir(), 'postroad-bench-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const program = new URL('../../bench/run.ts', import.meta.url).pathname
  const options = ['--cpus', 'all', '--skip-accepting', '--no-keep', '--rounds', '1000', '--messages', '100']
  const bench = spawn(process.execPath, [program, ...options, '--directory', directory], { stdio: 'pipe' })
  t.after(() => bench.kill('SIGKILL'))
  let output = ''
  for (const stream of [bench.stdout, bench.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const services = () => children(bench.pid!).filter((pid) => commandOf(pid).includes('serve'))
  // Mail is in the database, so that the measurement is in its midst.
  while (bench.exitCode === null && (services().length === 0 || written(directory) < 400_000)) await pause(50)
  const begun = services()
  assert.equal(begun.length, 1, output)
  bench.kill('SIGINT')
  const [code] = await once(bench, 'exit')
  assert.equal(code, 130, output)
  assert.equal(output, '')
  assert.deepEqual(readdirSync(directory), [])
  assert.deepEqual(
    begun.filter((pid) => commandOf(pid).includes('serve')),
    [],
  )
})

/** Octets of the write-ahead log of the installation in a directory. */
function written(directory: string): number {
  const [installation] = readdirSync(directory)
  const log = installation && join(directory, installation, 'postroad.db-wal')
  return (log && statSync(log, { throwIfNoEntry: false })?.size) || 0
}

function children(parent: number): number[] {
  return readFileSync(`/proc/${parent}/task/${parent}/children`, 'latin1').trim().split(' ').map(Number)
}

/** Empty when it is gone. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}
