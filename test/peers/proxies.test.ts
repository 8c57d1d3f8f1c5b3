/** Mail from addresses behind HAProxy and microsocks to a real Postfix. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { OutgoingProxy } from '../../src/network/proxy/proxy.ts'
import { missing } from './jail.ts'
import { postfixAddresses as at, Postfix } from './postfix.ts'
import { HAPROXY, LOGIN, MICROSOCKS, startHaproxy, startMicrosocks } from './proxies.ts'
import { inBox, Stage } from './stage.ts'

const skip = missing('postfix') ?? missing('haproxy') ?? missing('microsocks') ?? false
if (skip) process.stderr.write(`NOT TESTED with HAProxy and microsocks: ${skip}\n`)

const NO_LOGIN = { user: null, password: null }
const WAYS: [string, OutgoingProxy, string][] = [
  ['HAProxy', { protocol: 'proxy', host: HAPROXY.host, port: HAPROXY.port, ...NO_LOGIN }, HAPROXY.from],
  [
    'microsocks',
    { protocol: 'socks5', host: MICROSOCKS.host, port: MICROSOCKS.port, ...LOGIN },
    MICROSOCKS.from,
  ],
]

describe('proxies to source addresses', { skip }, () => {
  let stage: Stage<Postfix>
  const started = new AsyncDisposableStack()
  before(async () => {
    stage = started.use(await Stage.set(Postfix.start, at.plain, ['proxied']))
    started.use(await startHaproxy())
    started.use(await startMicrosocks())
  })
  after(() => started.disposeAsync())

  for (const [name, proxy, address] of WAYS) {
    test(`${name}: Postfix gets the mail from the address of the proxy, encrypted`, async () => {
      const sourceAddresses = [{ address, helo: 'mail2.acme.test', proxy }]
      const sent = stage.peer.delivered('proxied').length
      await using sending = await stage.direct('good.test', [at.plain], { sourceAddresses })
      const { attempts } = await sending.delivered(await sending.send(['proxied@good.test']))
      assert.equal(attempts[0]?.source, address)
      assert.match(attempts[0]?.tls?.version ?? '', /^TLSv1\.3$/)
      const stored = await inBox(stage.peer, 'proxied', sent + 1)
      const received = new RegExp(
        `from mail2\\.acme\\.test \\(unknown \\[${address.replaceAll('.', '\\.')}\\]\\)`,
      )
      assert.ok(
        stored.some((message) => received.test(message.toString())),
        stored.at(-1)?.toString(),
      )
    })

    test(`${name}: a server that does not listen costs an attempt`, async () => {
      const sourceAddresses = [{ address, helo: 'mail2.acme.test', proxy }]
      await using sending = await stage.direct('away.test', ['127.0.32.99'], { sourceAddresses })
      const [outcome] = await sending.outcome(await sending.send(['a@away.test']))
      assert.deepEqual(outcome, { state: 'waiting', attempts: 1, suppressed: false })
    })
  }
})
