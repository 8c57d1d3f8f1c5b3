/** The doctor at the command line: beside a running service and without one, for people and for scripts. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import type { Diagnosis } from '../../src/operate/doctor/examine.ts'
import { newWorkplaceOnEngine, serve, type Workplace } from './postroad.ts'

let dns: FakeDns
let place: Workplace

before(async () => {
  dns = await startDns({})
  place = await newWorkplaceOnEngine({
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
  })
  await place.json('company', 'create', 'Acme')
})
after(async () => {
  place.remove()
  await dns.close()
})

async function diagnosis(): Promise<{ code: number | null; diagnosis: Diagnosis }> {
  const { code, stdout } = await place.run('doctor', '--json')
  return { code, diagnosis: JSON.parse(stdout) }
}

function found({ checks }: Diagnosis, id: string): string {
  return checks.find((check) => check.id === id)!.found
}

test('without a service: it says so, and names the next steps', async () => {
  const { code, stdout } = await place.run('doctor')
  assert.equal(code, 0)
  assert.match(
    stdout,
    /^warning {2}Nodes: No node is running: mail is neither accepted nor sent\.\n {9}Start one/m,
  )
  assert.match(stdout, /^ {11}POSTROAD_DELIVERY=direct$/m)
  assert.match(stdout, /^\d+ checks: \d+ ok, \d+ to improve, 0 problems, \d+ unknown\.$/m)
})

test('a problem is exit code 1, and the checks are JSON', async () => {
  place.env.POSTROAD_DELIVERY = 'direct'
  const direct = await diagnosis()
  delete place.env.POSTROAD_DELIVERY
  assert.equal(direct.code, 1)
  assert.equal(direct.diagnosis.state, 'problem')
  assert.deepEqual(Object.keys(direct.diagnosis.checks[0]!).slice(0, 5), [
    'id',
    'title',
    'state',
    'found',
    'advice',
  ])
  assert.equal(found(direct.diagnosis, 'hostname'), 'mail.service.test has no address in DNS.')
})

test('beside a running service, and after it was killed', async () => {
  const service = await serve(place)
  const running = await diagnosis()
  assert.match(found(running.diagnosis, 'nodes'), /^One node runs: /)
  assert.equal(running.code, 0)
  await service.stop('SIGKILL')
  const killed = await diagnosis()
  assert.match(
    found(killed.diagnosis, 'nodes'),
    place.env.POSTROAD_DATABASE_URL?.startsWith('postgres')
      ? /^No sign of life from /
      : /^No process has the database open: .+ has ended\.$/,
  )
  assert.equal(killed.code, 1)
})

test('a database that cannot be opened is a problem like any other', async () => {
  const url = place.env.POSTROAD_DATABASE_URL
  place.env.POSTROAD_DATABASE_URL = 'postgres://postroad@127.0.0.1:1/postroad'
  const { code, diagnosis: found } = await diagnosis()
  const { stdout } = await place.run('doctor')
  if (url === undefined) delete place.env.POSTROAD_DATABASE_URL
  else place.env.POSTROAD_DATABASE_URL = url
  assert.equal(code, 1)
  assert.equal(found.state, 'problem')
  assert.deepEqual(
    found.checks.map(({ id, state }) => [id, state]),
    [['database', 'problem']],
  )
  assert.match(stdout, /^PROBLEM {2}Database: The database .+ is not available: nothing answers there\./m)
})
