/** Each step towards real mail is looked at for real: a DNS server, SMTP servers and HTTP servers of the test answer. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, beforeEach, describe, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { selfSigned } from '../../harness/certificate.ts'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import type { RelayRoute } from '../../src/config/settings.ts'
import { hostLookup } from '../../src/dns/host-lookup.ts'
import { Resolver } from '../../src/dns/resolver.ts'
import { Outgoing } from '../../src/network/outgoing.ts'
import { addressGuard } from '../../src/network/private-address.ts'
import { OPERATOR } from '../../src/operate/authority.ts'
import { createCompany } from '../../src/operate/companies.ts'
import { activateDomain, addDomain, suspendDomain } from '../../src/operate/domains.ts'
import { checkCompanyStep, checkInstallationStep } from '../../src/operate/go-live/go-live.ts'
import { showSetup } from '../../src/operate/go-live/setup.ts'
import type { StepName, StepResult } from '../../src/operate/go-live/step.ts'
import { backUp } from '../../src/operate/maintenance.ts'
import type { Operation, Setup } from '../../src/operate/verb.ts'
import { openStore } from '../../src/store/open.ts'
import { World } from './world.ts'

let world: World
let dns: FakeDns

before(async () => {
  world = await World.make()
  dns = await startDns({})
})
after(async () => {
  await dns.close()
  await world[Symbol.asyncDispose]()
})
beforeEach(() => {
  dns.zone = {}
})

const anywhere = addressGuard({ allowPrivateNetworks: true })

async function installation(
  step: StepName,
  change: Partial<Omit<Operation, 'setup'>> & { setup?: Partial<Setup> } = {},
) {
  const op = await world.operation('operator')
  const { setup, ...rest } = change
  const resolver = new Resolver({ servers: [dns.address], timeout: 300, tries: 1 })
  return await checkInstallationStep(
    {
      ...op,
      hosts: () => resolver,
      outgoing: (options) =>
        new Outgoing({
          ...options,
          guard: anywhere,
          resolve: hostLookup(resolver, { hostsFile: true }),
          connections: 1,
        }),
      ...rest,
      setup: { ...op.setup, ...setup },
    },
    { step },
  )
}

function seen({ state, found }: StepResult): [string, string] {
  return [state, found]
}

function relay(port: number, host = '127.0.0.1'): RelayRoute {
  const login = { user: null, password: null, auth: null }
  return { kind: 'relay', host, port, implicitTls: false, tls: 'opportunistic', ...login }
}

/** A server that says `line` to each client; null: it hangs up. */
async function speaker(line: string | null) {
  const server = createTcp((socket) => {
    socket.on('error', () => {})
    socket.resume()
    socket.end(line === null ? '' : `${line}\r\n`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

describe('the way out', () => {
  test('is still to be chosen in capture mode, and then there is nothing to reach', async () => {
    const route = await installation('route')
    assert.equal(route.state, 'open')
    assert.match(route.code!, /^POSTROAD_DELIVERY=direct$/m)
    assert.equal((await installation('outgoing')).state, 'unneeded')
  })

  test('direct: one mail server of the large receivers that greets is enough', async () => {
    await using refusing = await speaker('220 mx.gmail.test ready')
    dns.zone = { 'gmail.com/MX': ['10 mx.gmail.test'], 'mx.gmail.test/A': ['127.0.0.1'] }
    const setup = { delivery: { kind: 'direct' }, smtpPort: refusing.port } as const
    const result = await installation('outgoing', { setup })
    assert.deepEqual(seen(result), ['done', 'mx.gmail.test answers: 220 mx.gmail.test ready'])
  })

  test('direct: a refusal shows the reply of the server', async () => {
    await using refusing = await speaker('554 5.7.1 192.0.2.1 is on our list')
    dns.zone = { 'outlook.com/MX': ['10 mx.test'], 'mx.test/A': ['127.0.0.1'] }
    const setup = { delivery: { kind: 'direct' }, smtpPort: refusing.port } as const
    const result = await installation('outgoing', { setup })
    assert.deepEqual(seen(result), ['wrong', 'mx.test answers: 554 5.7.1 192.0.2.1 is on our list'])
  })

  test('direct: without any answer, port 25 is probably blocked', async () => {
    await using silent = await speaker(null)
    dns.zone = { 'gmail.com/MX': ['10 mx.test'], 'mx.test/A': ['127.0.0.1'] }
    const setup = { delivery: { kind: 'direct' }, smtpPort: silent.port } as const
    const result = await installation('outgoing', { setup })
    assert.equal(result.state, 'wrong')
    assert.match(
      result.found,
      /No server answers on port \d+: mx\.test \[127\.0\.0\.1\]:\d+ closed the connection during its greeting/,
    )
    assert.match(result.advice!, /relay/)
  })

  test('direct: without DNS the state is unknown', async () => {
    const setup = { delivery: { kind: 'direct' }, smtpPort: 1 } as const
    assert.equal((await installation('outgoing', { setup })).state, 'unknown')
  })

  test('direct: an address that is not public is not connected to', async () => {
    dns.zone = { 'gmail.com/MX': ['10 mx.test'], 'mx.test/A': ['127.0.0.1'] }
    const setup = { delivery: { kind: 'direct' }, smtpPort: 25 } as const
    const guard = () => addressGuard({ allowPrivateNetworks: false })
    const result = await installation('outgoing', { setup, guard })
    assert.match(result.found, /127\.0\.0\.1 is not a public address/)
  })

  test('a relay is asked, also by name and in a private network', async () => {
    await using greeting = await speaker('220 relay ready')
    dns.zone = { 'relay.test/A': ['127.0.0.1'] }
    const setup = { delivery: relay(greeting.port, 'relay.test') }
    assert.equal((await installation('route', { setup })).state, 'done')
    const result = await installation('outgoing', { setup })
    assert.deepEqual(seen(result), ['done', `relay.test:${greeting.port} answers: 220 relay ready`])
    const missing = await installation('outgoing', { setup: { delivery: relay(25, 'nowhere.test') } })
    assert.deepEqual(seen(missing), ['wrong', 'nowhere.test has no address in DNS.'])
  })
})

describe('a relay that wants a login', () => {
  const login = { user: 'postroad', password: 'secret', auth: null }

  /** Greets, offers AUTH PLAIN, and gives `answer` to it. `said`: the commands that it got. */
  async function loginServer(answer: string) {
    const said: string[] = []
    const server = createTcp((socket) => {
      socket.on('error', () => {})
      socket.write('220 relay ready\r\n')
      createInterface(socket).on('line', (line) => {
        said.push(line)
        if (line.startsWith('EHLO')) socket.write('250-relay\r\n250 AUTH PLAIN\r\n')
        else if (line.startsWith('AUTH')) socket.write(`${answer}\r\n`)
        else socket.end('221 bye\r\n')
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return {
      said,
      port: (server.address() as AddressInfo).port,
      async [Symbol.asyncDispose]() {
        server.close()
        await once(server, 'close')
      },
    }
  }

  async function asked(answer: string, tls: RelayRoute['tls']) {
    await using server = await loginServer(answer)
    const delivery: RelayRoute = { ...relay(server.port), ...login, tls }
    const result = await installation('outgoing', { setup: { delivery } })
    return { result, said: server.said, port: server.port }
  }

  test('is given the credentials, and then left with QUIT', async () => {
    const { result, said, port } = await asked('235 2.7.0 welcome', 'off')
    assert.deepEqual(seen(result), ['done', `127.0.0.1:${port} answers, and accepts the login "postroad".`])
    assert.match(said.join(' '), /EHLO \S+ AUTH \S+ \S+ QUIT$/)
  })

  test('and refuses it is a problem, shown without the password', async () => {
    const { result, said } = await asked('535 5.7.8 Username and Password not accepted', 'off')
    assert.equal(result.state, 'wrong')
    assert.match(
      result.found,
      /does not let the service in: .*535 5\.7\.8 Username and Password not accepted/,
    )
    assert.match(result.advice!, /the user, the password/)
    assert.doesNotMatch(JSON.stringify(result), /secret/)
    assert.equal(said.at(-1), 'QUIT')
  })

  test('and cannot encrypt gets no credentials', async () => {
    const { result, said } = await asked('235 2.7.0 welcome', 'opportunistic')
    assert.match(
      result.found,
      /does not let the service in: .*offers no TLS, so it is not given the credentials/,
    )
    assert.deepEqual([said.length, said.at(-1)], [2, 'QUIT'])
  })
})

describe('the name of the machine', () => {
  const direct = { delivery: { kind: 'direct' } } as const
  const name = { hostname: 'mail.example.test', setup: direct }

  test('leads to an address, and the address back to it', async () => {
    dns.zone = {
      'mail.example.test/A': ['192.0.2.7'],
      '7.2.0.192.in-addr.arpa/PTR': ['mail.example.test'],
    }
    assert.equal((await installation('hostname', name)).state, 'done')
  })

  test('that leads elsewhere, or nowhere, is not right', async () => {
    dns.zone = { 'mail.example.test/A': ['192.0.2.7'], '7.2.0.192.in-addr.arpa/PTR': ['host7.isp.test'] }
    const other = await installation('hostname', name)
    assert.deepEqual(seen(other), [
      'wrong',
      'mail.example.test resolves to 192.0.2.7, but 192.0.2.7 resolves back to host7.isp.test.',
    ])
    dns.zone = { 'mail.example.test/A': ['192.0.2.7'] }
    assert.match((await installation('hostname', name)).found, /has no name in reverse DNS/)
    dns.zone = {}
    const nowhere = await installation('hostname', name)
    assert.match(nowhere.found, /mail\.example\.test has no address/)
    assert.match(nowhere.advice!, /^Add an A record for mail\.example\.test/)
    assert.equal(nowhere.code, null)
    const unnamed = await installation('hostname', { ...name, hostname: 'box' })
    assert.match(unnamed.found, /not a fully qualified domain name/)
    assert.match(unnamed.code!, /^POSTROAD_HOSTNAME=/)
  })

  test('is unknown when DNS fails, and unneeded behind a relay', async () => {
    dns.zone = {
      'mail.example.test/A': { rcode: 'SERVFAIL' },
      'mail.example.test/AAAA': { rcode: 'SERVFAIL' },
    }
    assert.equal((await installation('hostname', name)).state, 'unknown')
    assert.equal((await installation('hostname', { setup: { delivery: relay(25) } })).state, 'unneeded')
  })
})

describe('HTTPS', () => {
  test('the public URL is not set', async () => {
    const result = await installation('https')
    assert.equal(result.state, 'open')
    assert.match(result.code!, /^POSTROAD_PUBLIC_URL=https:/)
  })

  test('is checked at /health: without encryption, at another server, without an answer', async () => {
    let body = '{"status":"ok"}'
    const server = createServer((_, response) => response.end(body)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    assert.match((await installation('https', { publicUrl })).found, /without encryption/)
    body = 'It works!'
    assert.match((await installation('https', { publicUrl })).found, /not like this service/)
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
    assert.match((await installation('https', { publicUrl })).found, /does not answer/)
  })
})

describe('HTTPS with a certificate', () => {
  test('of a proxy in front is judged by its end', async (t) => {
    const { cert, key } = selfSigned(['127.0.0.1'])
    const server = createSecureServer({ cert, key }, (_, response) => response.end('{"status":"ok"}'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    const trusted = getCACertificates('default')
    setDefaultCACertificates([...trusted, cert])
    t.after(() => setDefaultCACertificates(trusted))
    const publicUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const ends = new X509Certificate(cert).validToDate.getTime()
    const found = async (days: number) =>
      await installation('https', { publicUrl, now: () => ends - days * 86_400_000 })
    const states: [number, string, RegExp][] = [
      [15.5, 'done', /answers over TLS\. Its certificate ends on \d{4}-\d\d-\d\d, in 15 days\.$/],
      [13.5, 'open', /, in 13 days\.$/],
      [1.5, 'wrong', /, in 1 day\.$/],
    ]
    for (const [days, state, words] of states) {
      const result = await found(days)
      assert.equal(result.state, state, result.found)
      assert.match(result.found, words)
    }
    assert.match((await found(1.5)).advice!, /the proxy in front/)
  })
})

describe('a backup', () => {
  test('is an open step until one was made, and again when it is old', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'postroad-backup-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'x.db')
    const setup = { database: { engine: 'sqlite', path } } as const
    assert.equal((await installation('backup', { setup })).state, 'open')
    const at = Date.now()
    const file = join(folder, 'copy.db')
    await (await openStore({ engine: 'sqlite', path }, { exclusive: false })).close()
    const copied = await backUp(
      { caller: OPERATOR, database: setup.database, secretKey: null },
      { file, overwrite: false },
    )
    assert.equal(copied.file, file)
    assert.deepEqual(seen(await installation('backup', { setup })), [
      'done',
      `The last backup was made within the last day: ${file}.`,
    ])
    const later = await installation('backup', { setup, now: () => at + 8.5 * 86_400_000 })
    assert.deepEqual(seen(later), ['wrong', 'The last backup is 8 days old.'])
  })

  test('of PostgreSQL is made elsewhere', async () => {
    const setup = { database: { engine: 'postgres', url: 'postgres://x' } } as const
    assert.equal((await installation('backup', { setup })).state, 'unknown')
  })
})

describe('a company', () => {
  const step = async (company: string, name: StepName, caller: 'operator' | 'reader' = 'operator') =>
    await checkCompanyStep(await world.operation(caller), { company, step: name })

  test('has sent something, has a domain of its own, and its records are there', async () => {
    assert.equal((await step('Acme', 'message', 'reader')).state, 'done')
    // Names under .test lead nowhere: that of the first start is no domain of one's own.
    assert.equal((await step('Acme', 'domain')).state, 'open')
    assert.equal((await step('Acme', 'dns')).state, 'open')
  })

  test('has no steps of the installation, and the installation has none of a company', async () => {
    await assert.rejects(step('Acme', 'backup'), { code: 'not_found' })
    await assert.rejects(installation('dns'), { code: 'not_found' })
  })
})

describe('the guide of a new company', () => {
  const operation = async (kind: 'capture' | 'direct') => {
    const op = await world.operation('operator')
    return { ...op, setup: { ...op.setup, delivery: { kind } } }
  }
  const newCompany = async () =>
    await createCompany(await operation('direct'), { name: `Company ${world.newName()}` })
  const newDomain = async (company: string, name: string) =>
    (await addDomain(await operation('direct'), { company, name })).domain
  const next = async (company: string, kind: 'capture' | 'direct' = 'direct') => {
    const { next: step, domain } = await showSetup(await operation(kind), { company })
    return [step, domain?.name ?? null]
  }

  test('asks for a domain, its records and a message, and ends with the message', async () => {
    const company = await newCompany()
    assert.deepEqual(await next(company.id), ['domain', null])
    const domain = await newDomain(company.id, 'guided.example')
    assert.deepEqual(await next(company.id), ['records', 'guided.example'])
    await activateDomain(await operation('direct'), { domain: domain.id })
    assert.deepEqual(await next(company.id), ['message', 'guided.example'])
    await world.email({ company, domains: [domain, domain], marks: [] })
    assert.deepEqual(await next(company.id), [null, null])
  })

  test('takes a domain under .test in capture mode alone, and leaves a suspended one to operators', async () => {
    const { id } = await newCompany()
    const name = world.newName()
    const domain = await newDomain(id, name)
    await activateDomain(await operation('capture'), { domain: domain.id })
    assert.deepEqual(await next(id, 'capture'), ['message', name])
    assert.deepEqual(await next(id), ['domain', null])
    const stopped = await newDomain(id, 'stopped.example')
    await suspendDomain(await operation('direct'), { domain: stopped.id })
    assert.deepEqual(await next(id), [null, null])
  })
})
