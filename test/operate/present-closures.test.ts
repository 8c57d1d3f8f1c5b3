/** Lists look up closures for each recipient domain of each email, so a look-up must not walk through all closures. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PresentClosures } from '../../src/operate/present-closures.ts'
import type { SiteClosure } from '../../src/store/store.ts'

const SITE = 'mx:big.test'

function closure(change: Partial<SiteClosure> = {}): SiteClosure {
  return {
    ...{ since: 1, kind: 'busy', reason: 'busy', brief: 'busy', nextTryAt: 2, metBy: null, list: null },
    ...{ companyId: null, company: null, sendingDomain: null, recipientDomain: null, source: 'default' },
    ...change,
  }
}

test('the closures of a site are sorted once, however many domains are looked up', () => {
  let reads = 0
  const narrow = Array.from({ length: 50 }, (_, n) => closure({ recipientDomain: `to${n}.test` }))
  const all = [...narrow, closure({ reason: 'all' })]
  const shared: ReadonlyMap<string, readonly SiteClosure[]> = new Map([
    [
      SITE,
      new Proxy(all, {
        get(target, name, receiver) {
          if (name === '0') reads += 1
          return Reflect.get(target, name, receiver)
        },
      }),
    ],
  ])
  const closures = new PresentClosures(new Map(), shared, null)
  for (let n = 0; n < 100; n++) {
    const mail = { companyId: 'c', sendingDomain: 'x.test', to: `to${n}.test`, servers: null }
    assert.equal(closures.of(mail, SITE)?.reason, 'all', 'the one that concerns most mail')
    assert.equal(closures.ofAll(mail, SITE, ['default', '192.0.2.1', '192.0.2.2'])?.reason, undefined)
    assert.equal(closures.ofAll(mail, SITE, ['default'])?.reason, 'all')
  }
  assert.equal(reads, 1)
})
