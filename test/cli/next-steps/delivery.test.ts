/** Accepted mail that does not arrive: what the operator sees, and the next step. */
import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { type FakeDns, startDns } from '../../../harness/dns.ts'
import { freePort } from '../../../harness/free-port.ts'
import { type RawServer, rawServer } from '../../support/raw-smtp.ts'
import { until } from '../../support/until.ts'
import { newWorkplace, type Serving, serve, type Workplace } from '../postroad.ts'
import { testEach } from './slips.ts'

interface Lane {
  domain: string
  last_answer: string | null
}

describe('mail that does not arrive names the next step when', () => {
  let captured: Workplace
  let place: Workplace
  let dns: FakeDns
  let relay: RawServer
  const ids = { captured: '', private: '', webhook: '' }

  before(async () => {
    captured = newWorkplace()
    const service = await serve(captured, ['--json'], /\}\}\n/)
    const url = ['--url', 'https://receiver.invalid/hook']
    ids.webhook = (await captured.json<{ id: string }>('webhook', 'add', '--company', 'Acme', ...url)).id
    ids.captured = await send(service, JSON.parse(lastLine(service)).firstStart.token, 'b@x.test')

    dns = await startDns({
      'private.test/MX': ['10 mx.private.test'],
      'mx.private.test/A': ['10.0.0.25'],
      'silent.test/MX': { rcode: 'SERVFAIL' },
    })
    place = newWorkplace({ POSTROAD_DELIVERY: 'direct', POSTROAD_DNS_SERVERS: dns.address })
    await place.json('company', 'create', 'Acme')
    const token = (await place.json<{ token: string }>('key', 'create', '--company', 'Acme', '--name', 'k'))
      .token
    relay = await rawServer(async (peer) => {
      await peer.greet('AUTH PLAIN LOGIN')
      await peer.answer('535 5.7.8 authentication failed', '221 2.0.0 bye')
    })
    const domain = async (name: string, route?: string) => {
      await place.json('domain', 'add', name, '--company', 'Acme')
      await place.json('domain', 'activate', name)
      if (route !== undefined) await place.json('route', 'set', route, '--domain', name)
    }
    await domain('direct.test')
    await domain('login.test', `smtp://me:secret@127.0.0.1:${relay.port}?tls=off`)
    await domain('nobody.test', `smtp://127.0.0.1:${await freePort()}?tls=off`)
    await domain('unnamed.test', 'smtp://relay.unnamed.test:587')
    const delivering = await serve(place)
    await send(delivering, token, 'b@one.test', 'a@login.test')
    await send(delivering, token, 'b@two.test', 'a@nobody.test')
    await send(delivering, token, 'b@three.test', 'a@unnamed.test')
    await send(delivering, token, 'b@silent.test', 'a@direct.test')
    ids.private = await send(delivering, token, 'b@private.test', 'a@direct.test')
    await until(async () => {
      const lanes = await place.json<Lane[]>('queue')
      return lanes.length === 4 && lanes.every(({ last_answer }) => last_answer !== null)
    }, 'an answer to each of them')
  })
  after(async () => {
    captured.remove()
    place.remove()
    await relay[Symbol.asyncDispose]()
    await dns.close()
  })

  const queue = async () => (await place.run('queue')).stdout

  testEach([
    {
      slip: 'it was captured, as is the rule until another route is set',
      async tried() {
        return await until(async () => {
          const { stdout } = await captured.run('email', 'show', ids.captured)
          return stdout.includes('Captured') && stdout
        }, 'the capture')
      },
      names: /^The email was captured: nothing left this machine\. .* set POSTROAD_DELIVERY/m,
    },
    {
      slip: 'it was captured, and the list says that it was delivered',
      async tried() {
        return (await captured.run('email', 'list')).stdout
      },
      names:
        /^POSTROAD_DELIVERY is "capture": until you change it and restart the service, .* none is delivered\.$/m,
    },
    {
      slip: 'its webhook cannot be reached',
      tried: () =>
        until(async () => {
          const { stdout } = await captured.run('webhook', 'show', ids.webhook)
          return !stdout.includes('Failing since:  -') && stdout
        }, 'an event that could not be posted'),
      names: /^To test it now: {5}postroad webhook test \S+ --event EVENT$/m,
    },
    {
      slip: 'the relay refuses the login',
      tried: queue,
      names:
        /^The relay refuses the login: correct the user and password in POSTROAD_DELIVERY .*: postroad queue retry\.$/m,
    },
    {
      slip: 'nothing answers at the relay',
      tried: queue,
      names: /^\S+ does not answer\. If it is a relay, check its host and port .*postroad doctor/m,
    },
    {
      slip: 'the relay has another name',
      tried: queue,
      names: /^Correct the name of the relay in POSTROAD_DELIVERY/m,
    },
    {
      slip: 'the name servers of a domain fail',
      tried: queue,
      names: /^silent\.test: its name servers fail; its mail is tried again\.$/m,
    },
    {
      slip: 'the server of a domain has a private address',
      async tried() {
        return (await place.run('email', 'show', ids.private)).stdout
      },
      names: /^Mail is delivered to public addresses only: set POSTROAD_ALLOW_PRIVATE_NETWORKS=true/m,
    },
  ])
})

function lastLine(service: Serving): string {
  return service
    .stdout()
    .split('\n')
    .find((line) => line.startsWith('{"url"'))!
}

async function send(service: Serving, token: string, to: string, from = 'a@acme.test'): Promise<string> {
  const response = await fetch(`${service.url}/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ from, to, subject: 's', text: 't' }),
  })
  const answer = await response.text()
  assert.equal(response.status, 200, answer)
  return JSON.parse(answer).id
}
