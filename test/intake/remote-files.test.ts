/** Files that are named by URL: fetched once each, within bounds, through redirects that are looked at anew. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { Refusal } from '../../src/intake/refusal.ts'
import { type FetchResult, RemoteFiles } from '../../src/intake/remote-file.ts'
import { Outgoing } from '../../src/network/outgoing.ts'

/** Loopback, of which one address is as good as private. */
const PRIVATE = '127.0.0.2'

describe('remote files', () => {
  const asked: string[] = []
  let base: string
  const answer: RequestListener = ({ url = '' }, response) => {
    asked.push(url)
    const redirect = (location: string, status = 302) => response.writeHead(status, { location }).end()
    if (url === '/file') response.end('hi')
    else if (url === '/moved') redirect('/again', 301)
    else if (url === '/again') redirect(`${base}/file`)
    else if (url === '/inside') redirect(base.replace('127.0.0.1', PRIVATE))
    else if (url === '/elsewhere') redirect('file:///etc/passwd')
    else if (url === '/loop') redirect('/loop')
    else if (url === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end('hi')
    else if (url.startsWith('/large')) response.end(Buffer.alloc(600))
    else if (url === '/cut')
      response.writeHead(200, { 'content-length': 10 }).end('hi', () => response.destroy())
    else if (url.startsWith('/hang')) response.write('some')
    else if (url === '/none') response.writeHead(404).end('no')
    else response.end(url)
  }
  const server = createServer(answer)
  const outgoing = new Outgoing({
    guard: (address) => (address === PRIVATE ? `${address} is not a public address` : null),
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    connections: 64,
  })
  const files = new RemoteFiles({ ask: outgoing.ask, maxOctets: 1_000 })

  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(async () => {
    await outgoing.close()
    server.closeAllConnections()
    server.close()
  })

  const fetchAll = (...paths: string[]) =>
    files.fetch(
      'acme',
      paths.map((path) => base + path),
      () => {},
    )
  async function fetchOne(path: string): Promise<FetchResult> {
    return (await fetchAll(path)).get(base + path)!
  }
  const text = (fetched: FetchResult) =>
    'content' in fetched ? Buffer.from(fetched.content).toString() : `failed: ${fetched.failure}`

  test('are each fetched once, however often a request names them', async () => {
    asked.length = 0
    const found = await fetchAll('/a', '/b', '/a', '/c', '/d', '/e', '/a')
    assert.deepEqual([...found.values()].map(text).sort(), ['/a', '/b', '/c', '/d', '/e'])
    assert.deepEqual(asked.toSorted(), ['/a', '/b', '/c', '/d', '/e'])
  })

  test('are found behind redirects', async () => {
    assert.equal(text(await fetchOne('/moved')), 'hi')
  })

  const failures: [path: string, failure: RegExp][] = [
    ['/inside', /not a public address/],
    ['/elsewhere', /the URL that it redirects to is neither an https/],
    ['/loop', /more than 5 redirects/],
    ['/gzip', /content coding/],
    ['/cut', /closed the connection|no answer/],
    ['/none', /answered 404$/],
  ]
  for (const [path, failure] of failures) {
    test(`are not fetched from ${path}`, async () => {
      assert.match(text(await fetchOne(path)), new RegExp(`^failed: .*(?:${failure.source})`))
    })
  }

  test('have a common limit', async () => {
    assert.equal(text(await fetchOne('/large')).length, 600)
    const both = [...(await fetchAll('/large1', '/large2')).values()].map(text)
    assert.ok(
      both.some((found) => /^failed: .* more than 1000 octets in total/.test(found)),
      both.join(),
    )
  })

  test('share one time limit', async () => {
    const hasty = new RemoteFiles({ ask: outgoing.ask, maxOctets: 1_000, withinMs: 300 })
    // Four at once hang, and the others find no time left.
    const urls = ['/hang1', '/hang2', '/hang3', '/hang4', '/file'].map((path) => base + path)
    const found = await hasty.fetch('acme', urls, () => {})
    for (const url of urls)
      assert.match(text(found.get(url)!), /^failed: .* in time: .* together have 0\.3 seconds/)
  })

  test('take memory as they arrive, and end when there is none', async () => {
    let octets = 0
    await files.fetch('acme', [`${base}/file`], (more) => {
      octets += more
    })
    assert.equal(octets, 2)
    const full = new Error('there is no room')
    const refused = files.fetch('acme', [`${base}/file`, `${base}/b`], () => {
      throw full
    })
    await assert.rejects(refused, full)
  })

  test('of one company wait for each other, and never delay those of another', async () => {
    const patient = new RemoteFiles({ ask: outgoing.ask, maxOctets: 1_000, withinMs: 3_000 })
    asked.length = 0
    const hanging = Array.from({ length: 20 }, (_, request) =>
      patient.fetch(
        'greedy',
        [1, 2, 3, 4].map((file) => `${base}/hang${request}-${file}`),
        () => {},
      ),
    )
    const other = await patient.fetch('modest', [`${base}/file`], () => {})
    assert.equal(text(other.get(`${base}/file`)!), 'hi')
    const all = (await Promise.all(hanging)).flatMap((found) => [...found.values()].map(text))
    // One company alone gets half of the places.
    assert.equal(asked.filter((url) => url.startsWith('/hang')).length, 28)
    const unheard = all.filter((found) =>
      /too many files are being fetched, .* its turn did not come within 3 s/.test(found),
    )
    assert.equal(unheard.length, 80 - 28)
    // And then there is room again.
    assert.equal(text(await fetchOne('/file')), 'hi')
  })

  test('are at most a hundred', async () => {
    const many = Array.from({ length: 101 }, (_, index) => `/${index}`)
    await assert.rejects(fetchAll(...many), Refusal)
    assert.equal((await fetchAll(...many.slice(1))).size, 100)
  })
})
