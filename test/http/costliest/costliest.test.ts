/**
 * Nothing that anybody asks keeps the service from the others: each route with the costliest request that its limits
 * allow (rows.ts), one after the other and several at once, on a service that has a lot (filled.ts). The main thread is
 * never away for more than 50 ms of its processor time, the memory stays within the plan, and whoever asks for too much
 * is told so in words.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { selfSigned } from '../../../harness/certificate.ts'
import { freePort } from '../../../harness/free-port.ts'
import { forgetPeak, processMemory } from '../../../harness/service/process-memory.ts'
import type { ServiceChild } from '../../../harness/service/service-child.ts'
import { longestStall, readStalls, type Stalls } from '../../../harness/service/stalls.ts'
import { Installation } from '../../support/installation.ts'
import { allRoutes, nameOf, type Route } from '../all-routes.ts'
import { basic } from '../requests.ts'
import { type Asked, Asker, type Heard } from './asking.ts'
import { type Filled, fill } from './filled.ts'
import { FRAMINGS, TLS_FRAMINGS } from './framing.ts'
import { fullestWithin, type Shape } from './fullest.ts'
import { DECLARED_BODY, NAMED, type Octets, ROWS, type Row } from './rows.ts'
import { handIn, SMTP_ROWS } from './smtp.ts'

/** Ms of processor time. */
const MOST = 50
const MEMORY = 600 * 1024 * 1024
/** Beyond which the memory plan is not kept. */
const MOST_MEMORY = MEMORY * 1.2
/** The same two where several people look at emails of tens of megabytes at once (docs/known-issues.md). */
const MOST_OF_LARGE = 100
const MOST_MEMORY_OF_LARGE = MEMORY * 2.5
/** What a request costs shows in every round, what else happens on the machine does not. */
const ROUNDS = 4
/** One after the other, and at once. */
const SERIAL = 2
const COPIES = 8

const routes = await allRoutes()
/** They come last: what they leave uncollected is not the fault of others. */
const readsLarge = ({ url }: Pick<Route, 'url'>) => /\/emails\/:(?:id|email)|\/messages\/:key/.test(url)

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
  let stalls: Stalls
  const asker = new Asker()
  const figures: { name: string; ms: number; peak: number; statuses: string }[] = []
  const firsts: { name: string; ms: number }[] = []
  const logged: string[] = []
  /** With a certificate, and nothing else. */
  let secure: { installation: Installation; child: ServiceChild; url: string; token: string }

  before(async () => {
    installation = new Installation({
      POSTROAD_METRICS_LISTEN: 'same',
      POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1:0',
      POSTROAD_DELIVERY: 'capture',
      POSTROAD_MEMORY: '600MB',
      POSTROAD_PUBLIC_URL: 'http://postroad.test',
    })
    const tenant = await installation.addTenant('acme.example')
    child = await installation.serve({
      onLine: (line) => {
        if (line.includes('stalled')) logged.push(line)
      },
    })
    filled = await fill(installation, child, tenant)
    stalls = await readStalls(child.url)
    secure = await openSecure()
  })
  after(async () => {
    asker.close()
    await installation.remove()
    await secure.installation.remove()
    for (const { name, ms } of firsts) if (ms > MOST) console.log(`${ms} ms  the first ${name}`)
    figures.sort((a, b) => b.ms - a.ms)
    for (const { name, ms, peak, statuses } of figures.slice(0, 40)) {
      console.log(
        `${ms.toFixed(0).padStart(5)} ms ${(peak / 1048576).toFixed(0).padStart(5)} MB  ${name}  ${statuses}`,
      )
    }
  })

  /** Runs it until it has taken little in one round, or in none; what it took at least. */
  async function measured(
    name: string,
    run: () => Promise<string>,
    { most = MOST, mostMemory = MOST_MEMORY, on = { child, url: child.url } } = {},
  ): Promise<void> {
    const { child, url } = on
    let least = Number.POSITIVE_INFINITY
    let statuses = ''
    forgetPeak(child.pid)
    logged.length = 0
    for (let round = 0; round < ROUNDS && least > most; round++) {
      stalls = await readStalls(url)
      statuses = await run()
      const after = await readStalls(url)
      least = Math.min(least, longestStall(stalls, after))
    }
    const { peak } = processMemory(child.pid)
    figures.push({ name, ms: least, peak, statuses })
    assert.ok(child.alive, `the service has ended: ${child.log.join('\n')}`)
    assert.ok(
      least <= most,
      `the main thread was away for up to ${least} ms each time: ${logged.at(-1) ?? ''}`,
    )
    assert.ok(peak <= mostMemory, `it took ${Math.round(peak / 1048576)} MB`)
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
      // What is compiled and loaded for the first request happens once: it is told of, and no attack.
      const cold = await readStalls(child.url)
      for (const body of bodies) await ask(body)
      firsts.push({ name: nameOf(route), ms: longestStall(cold, await readStalls(child.url)) })
      const run = async () => {
        statuses.clear()
        for (const body of bodies) {
          for (let turn = 0; turn < SERIAL; turn++) await ask(body)
          await besideHealth(Promise.all(Array.from({ length: row.copies ?? COPIES }, () => ask(body))))
        }
        return [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')
      }
      const bounds = readsLarge(route) ? { most: MOST_OF_LARGE, mostMemory: MOST_MEMORY_OF_LARGE } : {}
      await measured(nameOf(route), run, { ...bounds, ...(row.most !== undefined && { most: row.most }) })
    })
  }

  for (const route of routes) if (!readsLarge(route)) testRoute(route)

  for (const [verb, all] of Object.entries(SMTP_ROWS)) {
    for (const [index, lines] of all.entries()) {
      test(`SMTP: ${verb}, ${index + 1}`, async () => {
        const target = { port: child.submissionPort, token: filled.token }
        await measured(`SMTP: ${verb}, ${index + 1}`, () => besideHealth(handIn(target, lines)))
      })
    }
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
      await measured(name, () => run(target), { on: secure })
    })
  }

  for (const route of routes) if (readsLarge(route)) testRoute(route)
})

/** Its metrics are told where nobody has to speak TLS. */
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
  const query = row.query ?? queryOf(schema?.querystring as Shape | undefined)
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
