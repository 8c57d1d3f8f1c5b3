/**
 * No request keeps the service from other clients: each route with the costliest request that its limits
 * allow (rows.ts), one after the other and several at once, on a service with much data (filled.ts). No turn of the
 * main thread takes more than 50 ms of processor time, the memory stays within the plan, and a request for too much is
 * refused with a reason.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { selfSigned } from '../../../harness/certificate.ts'
import { freePort } from '../../../harness/free-port.ts'
import { forgetPeak, processMemory } from '../../../harness/service/process-memory.ts'
import type { ServiceChild } from '../../../harness/service/service-child.ts'
import { longestStall, readStalls } from '../../../harness/service/stalls.ts'
import { ThreadInspector } from '../../../harness/thread-inspector.ts'
import { Installation } from '../../support/installation.ts'
import { until } from '../../support/until.ts'
import { allRoutes, nameOf, type Route } from '../all-routes.ts'
import { basic } from '../requests.ts'
import { type Asked, Asker, type Heard } from './asking.ts'
import { type Filled, fill } from './filled.ts'
import { FRAMINGS, TLS_FRAMINGS } from './framing.ts'
import { fullestWithin, type Shape } from './fullest.ts'
import { assertShort, judgeTurn, MAX_MS, type TurnVerdict } from './limits.ts'
import { handBack, RETURNED_ROWS, SECRET_KEY } from './returned-mail.ts'
import { DECLARED_BODY, NAMED, type Octets, ROWS, type Row } from './rows.ts'
import { handIn, SMTP_ROWS } from './smtp.ts'

const MEMORY = 600 * 1024 * 1024
/** Beyond which the memory plan is not kept. */
const MAX_MEMORY = MEMORY * 1.2
/** The cost of a request shows in every round, and other work of the machine does not. */
const ROUNDS = 4
/** Ms: a row may bring ten thousand messages. */
const SENT_WITHIN = 300_000
/** Ms between two looks at the health of the service. */
const HEALTH_EVERY = 10
/** By `npm run nightly`: twice as many requests. */
const IS_LONG = process.env.POSTROAD_TEST_LENGTH === 'long'
/** One after the other. A first request that took little is one of them, so that nothing need be asked again alone. */
const serial = (firstMs: number) => (IS_LONG ? 2 : firstMs <= MAX_MS ? 0 : 1)
/** At once, where a row says no number. */
const COPIES = 8
const atOnce = (copies = COPIES) => (IS_LONG ? copies : Math.ceil(copies / 2))

interface Figure {
  name: string
  /** The longest turn of the main thread. */
  ms: number
  /** Octets. */
  peak: number
  /** Ms for all rounds. */
  took: number
  statuses: string
}

const routes = await allRoutes()

/** Values of its path that `NAMED` has nothing for, where no row has. */
const named = ({ url }: Route) => [...url.matchAll(/:(\w+)|(\*)/g)].map(([, name, rest]) => name ?? rest!)

test('every route has a row, or a schema from which one follows', () => {
  for (const route of routes) {
    const row = ROWS[nameOf(route)]
    assert.ok(row || route.schema, `${nameOf(route)} is written by hand: write its row in rows.ts`)
    if (row?.params) continue
    for (const name of named(route)) {
      assert.ok(name in NAMED, `${nameOf(route)}: what stands for ${name}? Write it in NAMED of rows.ts`)
    }
  }
})

test('every row is of a route', () => {
  const names = new Set(routes.map(nameOf))
  assert.deepEqual(
    Object.keys(ROWS).filter((name) => !names.has(name)),
    [],
  )
})

test('every verb of SMTP has a row', () => {
  const session = readFileSync(new URL('../../../src/submission/session.ts', import.meta.url), 'utf8')
  const verbs = [...session.matchAll(/case '([A-Z]+)'/g)].map(([, verb]) => verb!)
  assert.ok(verbs.includes('MAIL'), 'the verbs stand elsewhere now')
  for (const verb of verbs) assert.ok(verb in SMTP_ROWS, `${verb} has no row in smtp.ts`)
})

describe('the costliest requests', () => {
  let installation: Installation
  let child: ServiceChild
  let filled: Filled
  let threads: ThreadInspector
  const asker = new Asker()
  const figures: Figure[] = []
  const firsts: { name: string; ms: number }[] = []
  const logged: string[] = []
  /** With a certificate, and nothing else. */
  let secure: { installation: Installation; child: ServiceChild; url: string; token: string }

  before(async () => {
    installation = new Installation({
      POSTROAD_METRICS_LISTEN: 'same',
      POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1:0',
      POSTROAD_BOUNCE_LISTEN: 'smtp://127.0.0.1:0',
      POSTROAD_SECRET_KEY: SECRET_KEY,
      POSTROAD_DELIVERY: 'capture',
      POSTROAD_MEMORY: '600MB',
      POSTROAD_PUBLIC_URL: 'http://postroad.test',
    })
    const tenant = await installation.addTenant('acme.example')
    child = await installation.serve({
      settings: { NODE_OPTIONS: '--inspect=127.0.0.1:0' },
      onLine: (line) => {
        if (line.includes('stalled')) logged.push(line)
      },
    })
    filled = await fill(installation, child, tenant)
    threads = await ThreadInspector.connect(await until(() => child.inspector ?? false, 'the inspector'))
    secure = await openSecure()
  })
  after(async () => {
    asker.close()
    threads?.close()
    await installation.remove()
    await secure.installation.remove()
    for (const { name, ms } of firsts) if (ms > MAX_MS) console.log(`${ms} ms  the first ${name}`)
    figures.sort((a, b) => b.ms - a.ms)
    console.log('The longest turn, the memory, the time of the whole row:')
    for (const { name, ms, peak, took, statuses } of figures.slice(0, 40)) {
      const [turn, memory, seconds] = [ms.toFixed(0), (peak / 1048576).toFixed(0), (took / 1_000).toFixed(1)]
      console.log(
        `${turn.padStart(5)} ms ${memory.padStart(5)} MB ${seconds.padStart(5)} s  ${name}  ${statuses}`,
      )
    }
  })

  /** Resolves when no message is on its way to a recipient. */
  async function allSent(url: string): Promise<void> {
    await until(
      async () => {
        const { due, sending } = await recipientsUnderWay(url)
        return due + sending === 0
      },
      'what was sent to arrive',
      SENT_WITHIN,
    )
  }

  /** Repeats the requests until a round took little time and memory, and checks the least of both. */
  async function measured(
    name: string,
    run: () => Promise<string>,
    on = { child, url: child.url },
  ): Promise<void> {
    let ms = Number.POSITIVE_INFINITY
    let peak = Number.POSITIVE_INFINITY
    let statuses = ''
    let verdict: TurnVerdict | undefined
    const began = performance.now()
    logged.length = 0
    for (let round = 0; round < ROUNDS; round++) {
      await allSent(on.url)
      // The garbage of earlier rows is not this row's memory. To collect it before each row would take a minute in all.
      const isMuch = round > 0 || processMemory(child.pid).resident > MEMORY
      if (on.child === child && isMuch) await threads.sample()
      forgetPeak(on.child.pid)
      const before = await readStalls(on.url)
      statuses = await run()
      // Sending the emails of the request is part of its cost.
      await allSent(on.url)
      const stalls = await readStalls(on.url)
      ms = Math.min(ms, longestStall(before, stalls))
      peak = Math.min(peak, processMemory(on.child.pid).peak)
      verdict = judgeTurn(ms, stalls)
      if (peak <= MAX_MEMORY && verdict.isShort) break
    }
    figures.push({ name, ms, peak, took: performance.now() - began, statuses })
    assert.ok(on.child.alive, `the service has ended: ${on.child.log.join('\n')}`)
    assertShort(verdict!, logged.at(-1))
    assert.ok(peak <= MAX_MEMORY, `it took ${Math.round(peak / 1048576)} MB each time`)
  }

  /** Asks for /health again and again until `work` is done: it is answered in between. */
  async function besideHealth<Result>(work: Promise<Result>): Promise<Result> {
    let over = false
    const done = work.finally(() => {
      over = true
    })
    done.catch(() => {})
    while (!over) {
      const health = await fetch(`${child.url}/health`, { signal: AbortSignal.timeout(30_000) })
      assert.equal(health.status, 200)
      await health.text()
      // Without a pause these requests would be half of the load.
      await pause(HEALTH_EVERY)
    }
    return await done
  }

  function testRoute(route: Route): void {
    const row: Row = ROWS[nameOf(route)] ?? {}
    const schema = route.schema?.body
    const bodies =
      row.body !== undefined || schema === undefined
        ? [null]
        : [fullestWithin(schema as Shape, DECLARED_BODY - 1_000) as object]

    test(nameOf(route), async () => {
      const statuses = new Map<number, number>()
      const ask = async (body: object | null) => {
        const heard = await asker.ask(requestOf(route, row, filled, body), { leaves: row.isEndless === true })
        assertInWords(heard)
        statuses.set(heard.status, (statuses.get(heard.status) ?? 0) + 1)
      }
      // The first request compiles and loads code once: its time is reported, and no attack can repeat it.
      const cold = await readStalls(child.url)
      for (const body of bodies) await ask(body)
      const firstMs = longestStall(cold, await readStalls(child.url))
      firsts.push({ name: nameOf(route), ms: firstMs })
      const run = async () => {
        statuses.clear()
        for (const body of bodies) {
          for (let turn = 0; turn < serial(firstMs); turn++) await ask(body)
          await besideHealth(Promise.all(Array.from({ length: atOnce(row.copies) }, () => ask(body))))
        }
        return [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')
      }
      await measured(nameOf(route), run)
    })
  }

  for (const route of routes) testRoute(route)

  for (const [verb, all] of Object.entries(SMTP_ROWS)) {
    for (const [index, lines] of all.entries()) {
      test(`SMTP: ${verb}, ${index + 1}`, async () => {
        const target = { port: child.submissionPort, token: filled.token }
        await measured(`SMTP: ${verb}, ${index + 1}`, () => besideHealth(handIn(target, lines)))
      })
    }
  }

  for (const [name, row] of Object.entries(RETURNED_ROWS)) {
    test(`returned mail: ${name}`, async () => {
      const { bouncePort } = child
      await measured(`returned mail: ${name}`, () => besideHealth(handBack(bouncePort, row, filled.ids)))
    })
  }

  for (const { name, isAnswered, run } of FRAMINGS) {
    test(name, async () => {
      const target = { port: child.port, token: filled.token }
      await measured(name, async () => {
        const heard = await besideHealth(run(target))
        if (isAnswered) assert.doesNotMatch(heard, /no answer/)
        return heard
      })
    })
  }

  for (const { name, run } of TLS_FRAMINGS) {
    test(name, async () => {
      const { child, token } = secure
      const [smtp, smtps] = child.submissionUrls.map((url) => Number(new URL(url).port))
      const target = { port: child.port, smtp: smtp!, smtps: smtps!, token }
      await measured(name, () => run(target), secure)
    })
  }
})

async function recipientsUnderWay(url: string): Promise<{ due: number; sending: number }> {
  const page = await (await fetch(`${url}/metrics`)).text()
  // There is no figure where the store has not answered in time.
  const of = (state: string) =>
    Number(new RegExp(`^postroad_recipients{state="${state}"} (\\d+)$`, 'm').exec(page)?.[1])
  return { due: of('due'), sending: of('sending') }
}

/** Its metrics have a listener without TLS. */
async function openSecure() {
  const port = await freePort()
  const installation = new Installation({
    POSTROAD_METRICS_LISTEN: `127.0.0.1:${port}`,
    POSTROAD_DELIVERY: 'capture',
    POSTROAD_MEMORY: '600MB',
  })
  const { token } = await installation.addTenant('acme.example')
  const { cert, key } = selfSigned(['localhost', '127.0.0.1'])
  const submission = { POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1:0,smtps://127.0.0.1:0' }
  const paths = {
    POSTROAD_TLS_CERT: join(installation.directory, 'cert.pem'),
    POSTROAD_TLS_KEY: join(installation.directory, 'key.pem'),
  }
  writeFileSync(paths.POSTROAD_TLS_CERT, cert)
  writeFileSync(paths.POSTROAD_TLS_KEY, key)
  const child = await installation.serve({ settings: { ...paths, ...submission } })
  return { installation, child, token, url: `http://127.0.0.1:${port}` }
}

function assertInWords({ status, type, octets, beginning }: Heard): void {
  assert.ok(status < 500 || status === 503, `${status}: ${beginning}`)
  if (status < 400) return
  assert.ok(octets > 0 && type !== '', `${status} without a word`)
}

function requestOf({ method, url, schema }: Route, row: Row, of: Filled, derivedBody: object | null): Asked {
  const isConsole = url.startsWith('/console')
  const isForm = /^\/v\d/.test(url)
  const own = row.params?.(of) ?? {}
  const path = url.replace(/:(\w+)|\*/g, (all, name: string = all) =>
    encodeURIComponent(own[name] ?? NAMED[name]!(of, url)),
  )
  const ownQuery = typeof row.query === 'function' ? row.query(of) : row.query
  const query = ownQuery ?? queryOf(schema?.querystring as Shape | undefined)
  const given = typeof row.body === 'function' ? row.body(of) : (row.body ?? derivedBody)
  const body = given === null ? null : octetsOf(given, isForm)
  const cookie = row.losesSession ? of.spareCookie : of.cookie
  return {
    method,
    url: `${of.url}${path}${query}`,
    headers: {
      ...(isConsole ? { cookie, 'x-postroad-console': '1' } : {}),
      ...(!isConsole && { authorization: isForm ? basic(of.token) : `Bearer ${of.token}` }),
      ...(body !== null && { 'content-type': body.type }),
      ...row.headers,
    },
    body: body?.octets ?? null,
  }
}

function octetsOf(given: object, isForm: boolean): Octets {
  if ('octets' in given) return given as Octets
  const isFlat = !Array.isArray(given) && Object.values(given).every((value) => typeof value !== 'object')
  if (isForm && isFlat) {
    const octets = Buffer.from(new URLSearchParams(given as Record<string, string>).toString())
    return { type: 'application/x-www-form-urlencoded', octets }
  }
  return { type: 'application/json', octets: Buffer.from(JSON.stringify(given)) }
}

/** The most that a query may say, as far as it is numbers and words of a list: texts are for the rows. */
function queryOf(schema: Shape | undefined): string {
  const query = new URLSearchParams()
  for (const [name, shape] of Object.entries(schema?.properties ?? {})) {
    if (shape.enum || shape.maximum !== undefined) query.set(name, String(fullestWithin(shape, 1_000)))
  }
  return query.size === 0 ? '' : `?${query}`
}
