/** The page of the console over HTTP: its paths, and the headers that tell browsers what to do with it. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { selfSigned } from '../../../harness/certificate.ts'
import { APIS } from '../../../src/http/apis.ts'
import { ConsolePage } from '../../../src/http/console/page/page.ts'
import type { HttpCore } from '../../../src/http/core.ts'
import { Workers } from '../../../src/workers/workers.ts'
import { builtConsole } from '../../support/built-console.ts'
import { type Service, startService } from '../../support/service.ts'
import { RawConnection } from '../requests.ts'
import { serveApis } from '../serve.ts'

const assets = new URL('../../../console/dist/assets/', import.meta.url)

/** Asks as it is written: `fetch` would take dots out of paths, and choose its own codings. */
async function ask(
  url: string,
  target: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; headers: Headers; body: Buffer }> {
  const connection = new RawConnection(url)
  const lines = Object.entries({ host: 'console.test', connection: 'close', ...headers })
  connection.write(
    `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  )
  const octets = Buffer.from(await connection.closed(), 'latin1')
  const end = octets.indexOf('\r\n\r\n')
  const [first, ...rest] = octets.subarray(0, end).toString().split('\r\n')
  const fields = rest.map((line) => line.split(/: (.*)/s, 2) as [string, string])
  return {
    status: Number(first!.split(' ')[1]),
    headers: new Headers(fields),
    body: octets.subarray(end + 4),
  }
}

/** Found for every address that is the page's own. */
const LINKS = [
  '/console',
  '/console/',
  '/console/sign-in',
  '/console/c/x/emails?q=a',
  '/console/c/x/domains/a.test',
]
const NOWHERE = [
  '/console/../../package.json',
  '/console/%2e%2e/%2e%2e/package.json',
  '/console/..%2f..%2fpackage.json',
  '/console/assets/../../../package.json',
  '/console/assets/..%2f..%2f..%2fpackage.json',
  '/console/.made-of',
  '/console/index.html.br',
  '/console/constructor',
  '/console/__proto__',
  '/console/%00',
]

describe('the page of the console', () => {
  let service: Service
  let url: string
  let script: string

  before(async () => {
    await builtConsole()
    service = await startService()
    url = service.url
    script = `/console/assets/${readdirSync(assets).find((name) => /^index-.*\.js$/.test(name))}`
  })
  after(() => service?.close())

  const policyOf = (headers: Headers) =>
    new Map(
      headers
        .get('content-security-policy')!
        .split('; ')
        .map((directive) => directive.split(/ (.*)/s, 2) as [string, string]),
    )

  for (const link of LINKS) {
    test(`${link} is the page, with its own policy`, async () => {
      const { status, headers, body } = await ask(url, link, { headers: { 'accept-encoding': 'br' } })
      assert.equal(status, 200)
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin')
      assert.match(headers.get('permissions-policy')!, /camera=\(\)/)
      const nonce = /<meta name="style-nonce" content="([\w+/=]{24,})"/.exec(body.toString())![1]!
      assert.deepEqual(Object.fromEntries(policyOf(headers)), {
        'default-src': "'none'",
        'script-src': "'self'",
        'style-src': `'self' 'nonce-${nonce}'`,
        'img-src': "'self' data: blob:",
        'font-src': "'self'",
        'connect-src': "'self'",
        'frame-src': "'self' blob:",
        'frame-ancestors': "'none'",
        'base-uri': "'none'",
        'form-action': "'none'",
      })
      assert.doesNotMatch(
        body.toString(),
        /<script(?![^>]* src="\/console\/)|<style(?! nonce=")|\son\w+=|https?:/,
      )
    })
  }

  test('has another nonce in each answer', async () => {
    const [one, other] = await Promise.all([ask(url, '/console/'), ask(url, '/console/')])
    assert.notEqual(one!.body.toString(), other!.body.toString())
  })

  for (const path of NOWHERE) {
    test(`${path} leads to no file`, async () => {
      const { status, headers, body } = await ask(url, path)
      assert.doesNotMatch(body.toString(), /workspaces|[0-9a-f]{64}/)
      assert.ok(status === 404 || headers.get('content-type')!.startsWith('text/html'), `${status}`)
    })
  }

  test('scripts are cached for good, and compressed as the client accepts', async () => {
    const plain = await ask(url, script)
    assert.equal(plain.status, 200)
    assert.equal(plain.headers.get('content-type'), 'text/javascript; charset=utf-8')
    assert.equal(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(plain.headers.get('vary'), 'accept-encoding')
    assert.equal(plain.headers.get('content-encoding'), null)
    assert.equal(plain.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(plain.headers.get('cross-origin-resource-policy'), 'same-origin')
    // That of a worker which is made of it.
    assert.match(
      plain.headers.get('content-security-policy')!,
      /^default-src 'none'; script-src 'self'; frame-ancestors 'none'$/,
    )
    assert.equal(Number(plain.headers.get('content-length')), plain.body.length)
    const rows = [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
      ['br;q=0.0', null, (octets: Buffer) => octets],
      ['*', null, (octets: Buffer) => octets],
      ['abr', null, (octets: Buffer) => octets],
    ] as const
    for (const [accepted, coding, decoded] of rows) {
      const { headers, body } = await ask(url, script, { headers: { 'accept-encoding': accepted } })
      assert.equal(headers.get('content-encoding'), coding, accepted)
      assert.deepEqual(decoded(body), plain.body, accepted)
    }
  })

  test('a file without a digest in its name is revalidated, and answered with 304', async () => {
    const { headers } = await ask(url, '/console/icon.svg')
    assert.equal(headers.get('content-type'), 'image/svg+xml')
    assert.equal(headers.get('cache-control'), 'no-cache')
    const tag = headers.get('etag')!
    for (const known of [tag, `"other", ${tag}`]) {
      const same = await ask(url, '/console/icon.svg', { headers: { 'if-none-match': known } })
      assert.deepEqual([same.status, same.body.length], [304, 0])
      assert.equal(same.headers.get('content-length'), null)
      assert.equal(same.headers.get('etag'), tag)
    }
    const other = await ask(url, '/console/icon.svg', { headers: { 'if-none-match': 'W/"other"' } })
    assert.equal(other.status, 200)
  })

  test('a script of another build is a 404, and not the page', async () => {
    const { status, headers } = await ask(url, '/console/assets/index-older.js')
    assert.equal(status, 404)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.match(headers.get('content-security-policy')!, /^default-src 'none';.* sandbox$/)
  })

  test('accepts only GET and HEAD', async () => {
    for (const target of ['/console/', '/console/c/x/emails', script]) {
      const head = await ask(url, target, { method: 'HEAD' })
      assert.deepEqual([head.status, head.body.length], [200, 0])
      assert.ok(Number(head.headers.get('content-length')) > 0)
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const { status, headers } = await ask(url, target, { method, headers: { 'content-length': '0' } })
        assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD'], `${method} ${target}`)
      }
    }
  })

  test('paths of the API that do not exist are not the page', async () => {
    for (const path of ['/console/api', '/console/api/', '/console/api/none', '/console/%61pi/none']) {
      const { status, headers, body } = await ask(url, path)
      assert.equal(status, 404, path)
      assert.equal(JSON.parse(body.toString()).error.code, 'not_found')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.match(headers.get('content-security-policy')!, /^default-src 'none';.* sandbox$/)
    }
    const { status, headers } = await ask(url, '/console/api/session/link')
    assert.deepEqual([status, headers.get('allow')], [405, 'POST'])
    assert.equal((await ask(url, '/console/apis')).status, 200)
  })

  test('answers of the API must not be cached, and cannot be shown as a page', async () => {
    const { status, headers } = await ask(url, '/console/api/session')
    assert.equal(status, 401)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin')
    assert.match(headers.get('content-security-policy')!, /^default-src 'none';.* sandbox$/)
  })

  test('GET / redirects a browser to it, and describes the service to other programs', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    const browser = await ask(url, '/', { headers: { accept } })
    assert.deepEqual([browser.status, browser.headers.get('location')], [303, '/console/'])
    for (const headers of [{}, { accept: '*/*' }]) {
      const { status, body } = await ask(url, '/', { headers })
      assert.equal(status, 200)
      assert.match(body.toString(), /outbound email service/)
    }
  })
})

describe('a page that is not built', () => {
  let service: Service
  let workers: Workers
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'postroad-page-'))
    workers = new Workers({ memory: 64, onDeath: assert.fail })
    service = await startService({ console: 'off' })
  })
  after(async () => {
    await workers?.close()
    await service?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const dist = () => join(folder, 'dist')
  function build(version: string): void {
    const fresh = `${dist()}.new`
    mkdirSync(join(fresh, 'assets'), { recursive: true })
    writeFileSync(join(fresh, 'index.html'), `<title>${version}</title>`)
    writeFileSync(join(fresh, 'assets', `${version}.js`), '')
    rmSync(dist(), { recursive: true, force: true })
    renameSync(fresh, dist())
  }

  test('answers that it is being built, and reloads until it is; a new build replaces it', async () => {
    class Unbuilt extends ConsolePage {
      constructor(core: HttpCore) {
        super(core, pathToFileURL(`${dist()}/`))
      }
    }
    const server = await serveApis(service, workers, [Unbuilt])
    try {
      const { url } = await server.listen()
      const { status, headers, body } = await ask(url, '/console/c/x/emails')
      assert.deepEqual([status, headers.get('retry-after')], [503, '2'])
      assert.match(body.toString(), /<meta http-equiv="refresh" content="2">.*npm run build/s)
      assert.doesNotMatch(body.toString(), /<script/)
      assert.match(headers.get('content-security-policy')!, /^default-src 'none'; style-src 'sha256-/)
      assert.doesNotMatch(headers.get('content-security-policy')!, /script-src|self/)
      assert.equal((await ask(url, '/console/assets/one.js')).status, 404)
      // Half of it: the folder is there, and the page is not.
      mkdirSync(dist())
      assert.equal((await ask(url, '/console/')).status, 503)
      for (const version of ['one', 'two', 'three']) {
        build(version)
        assert.equal((await ask(url, '/console/')).body.toString(), `<title>${version}</title>`)
        assert.equal((await ask(url, `/console/assets/${version}.js`)).status, 200)
      }
      assert.equal((await ask(url, '/console/assets/two.js')).status, 404)
    } finally {
      await server.close()
    }
  })
})

describe('POSTROAD_CONSOLE_LISTEN', () => {
  let workers: Workers
  let folder: string
  before(async () => {
    await builtConsole()
    folder = mkdtempSync(join(tmpdir(), 'postroad-console-'))
    workers = new Workers({ memory: 64, onDeath: assert.fail })
  })
  after(async () => {
    await workers?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('an address: only the console is served there, and no dialect', async () => {
    await using service = await startService({ console: { host: '127.0.0.1', port: 0 } })
    const server = await serveApis(service, workers, APIS)
    try {
      const { url, consoleUrl } = await server.listen()
      const there = consoleUrl!
      assert.notEqual(there, url)
      const accept = { headers: { accept: 'text/html' } }
      assert.equal((await ask(there, '/console/', accept)).status, 200)
      assert.equal((await ask(there, '/console/api/session')).status, 401)
      assert.equal((await ask(there, '/', accept)).headers.get('location'), '/console/')
      for (const path of ['/console/', '/console/api/session', '/console/icon.svg']) {
        assert.equal((await ask(url, path)).status, 404, path)
      }
      assert.equal((await ask(url, '/', accept)).status, 200)
      for (const path of ['/emails', '/v3/a.test/messages', '/health', '/ready', '/metrics', '/docs']) {
        assert.equal((await ask(there, path)).status, 404, path)
        assert.equal((await ask(there, path, { method: 'POST' })).status, 404, path)
      }
    } finally {
      await server.close()
    }
  })

  test('off: it is not served', async () => {
    await using service = await startService({ console: 'off' })
    for (const path of ['/console/', '/console/api/session', '/console/icon.svg']) {
      assert.equal((await ask(service.url, path)).status, 404, path)
    }
    assert.equal((await ask(service.url, '/', { headers: { accept: 'text/html' } })).status, 200)
  })

  test('a node without the role api does not serve it', async () => {
    await using service = await startService({ roles: ['delivery'], console: { host: '127.0.0.1', port: 0 } })
    assert.equal((await ask(service.url, '/console/')).status, 404)
  })

  test('speaks TLS where POSTROAD_LISTEN does', async () => {
    const { cert, key } = selfSigned(['127.0.0.1'])
    const tls = { certPath: join(folder, 'cert.pem'), keyPath: join(folder, 'key.pem') }
    writeFileSync(tls.certPath, cert)
    writeFileSync(tls.keyPath, key)
    await using service = await startService({ tls, console: { host: '127.0.0.1', port: 0 } })
    const server = await serveApis(service, workers, APIS)
    try {
      assert.match((await server.listen()).consoleUrl!, /^https:/)
    } finally {
      await server.close()
    }
  })
})
