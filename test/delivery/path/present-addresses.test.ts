import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../../../harness/free-port.ts'
import { type LogLine, postedLog } from '../../../src/common/logging.ts'
import { PresentAddresses } from '../../../src/delivery/path/present-addresses.ts'
import { proxyProblem } from '../../../src/network/proxy/probe.ts'
import type { OutgoingProxy } from '../../../src/network/proxy/proxy.ts'
import { startHeaderProxy, startSocks } from '../../support/outgoing-proxies.ts'

const FROM = '127.0.31.7'
const LOGIN = { user: 'postroad', password: 'hunter2' }

function proxyAt(port: number, changes: Partial<OutgoingProxy> = {}): OutgoingProxy {
  return { protocol: 'socks5', host: '127.0.0.1', port, user: null, password: null, ...changes }
}

test('an address behind a proxy is usable while the proxy answers; each change is logged and reported', async (t) => {
  const port = await freePort()
  const lines: LogLine[] = []
  let changes = 0
  let returns = 0
  const present = new PresentAddresses({
    addresses: [
      { address: FROM, helo: 'mail1.test', proxy: proxyAt(port, LOGIN) },
      { address: '127.0.31.8', helo: 'mail2.test' },
      { address: '192.0.2.1', helo: 'mail3.test' },
    ],
    onChange: () => changes++,
    log: postedLog((line) => lines.push(line)),
  })
  present.onReturn(() => returns++)
  const here = () => [FROM, '127.0.31.8', '192.0.2.1'].map((address) => present.isHere(address))
  t.after(() => present.stop())
  const proxy = await startSocks({ port, from: FROM, login: LOGIN })
  await present.start()
  assert.deepEqual([here(), changes], [[true, true, false], 1])
  await proxy[Symbol.asyncDispose]()
  await present.look()
  assert.deepEqual([here(), changes, returns], [[false, true, false], 2, 0])
  await using _ = await startSocks({ port, from: FROM, login: LOGIN })
  await present.look()
  assert.deepEqual([here(), changes, returns], [[true, true, false], 3, 1])
  const told = JSON.stringify(lines)
  assert.match(told, new RegExp(`The proxy socks5://127\\.0\\.0\\.1:${port} refused the connection`))
  assert.ok(!told.includes(LOGIN.password))
})

test('a proxy is checked by its login, not by a connection', async () => {
  await using open = await startSocks({ from: FROM })
  await using closed = await startSocks({ from: FROM, login: LOGIN })
  await using strict = await startSocks({ from: FROM, reply: () => 2 })
  await using header = await startHeaderProxy()
  const problem = (port: number, changes?: Partial<OutgoingProxy>) =>
    proxyProblem(proxyAt(port, changes), FROM)
  assert.equal(await problem(open.port), null)
  assert.equal(await problem(closed.port, LOGIN), null)
  assert.match(
    (await problem(closed.port, { user: 'a', password: 'b' }))!,
    /refuses the user or the password$/,
  )
  assert.match((await problem(closed.port))!, /demands another login$/)
  assert.equal(await problem(strict.port), null)
  assert.equal(await problem(header.port, { protocol: 'proxy' }), null)
  assert.deepEqual(header.requests, [], 'it is asked for no connection')
})
