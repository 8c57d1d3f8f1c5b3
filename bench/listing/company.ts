/** The one company of a measurement of listings, and its preparation. */
import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { DOMAIN_SETTINGS, NO_LIMITS } from '../../src/accounts/account.ts'
import { DIGEST, digestStep } from '../../src/events/digest.ts'
import type { Store } from '../../src/store/store.ts'
import type { Owner } from '../history/shape.ts'

export interface ListedCompany extends Owner {
  domainId: string
}

export async function addCompany(store: Store, name = 'listed'): Promise<ListedCompany> {
  const createdAt = Date.now()
  const companyId = randomUUIDv7()
  const domainId = randomUUIDv7()
  await store.addCompany({ id: companyId, name, createdAt, limits: NO_LIMITS })
  await store.addDomain({
    id: domainId,
    companyId,
    name: `${name}.test`,
    status: 'verified',
    sending: 'active',
    createdAt,
    dkim: [],
    speaksFor: [],
    settings: DOMAIN_SETTINGS,
    seen: {},
    returnPathHost: null,
    lostSince: null,
  })
  await store.addKey({
    id: randomUUIDv7(),
    companyId,
    name: 'app',
    tokenHash: randomBytes(32),
    tokenStart: null,
    password: null,
    scopes: ['reading'],
    domainId: null,
    networks: [],
    createdAt,
    expiresAt: null,
    revokedAt: null,
  })
  return { companyId, domainId }
}

const AT_ONCE = 1_000

export async function addSuppressions(store: Store, companyId: string, count: number): Promise<void> {
  const createdAt = Date.now()
  for (let from = 0; from < count; from += AT_ONCE) {
    const length = Math.min(AT_ONCE, count - from)
    await store.addSuppressions(
      Array.from({ length }, (_, index) => ({
        id: randomUUIDv7(),
        companyId,
        address: `s${from + index}@d${(from + index) % 1_000}.history.test`,
        type: 'bounce' as const,
        tags: null,
        reason: '550 5.1.1 no such user',
        code: 550,
        emailId: null,
        domainId: null,
        createdAt,
      })),
    )
  }
}

/** Makes the digest of the whole log. Returns the number of events, and how long it took. */
export async function digestAll(store: Store): Promise<{ events: number; seconds: number }> {
  const began = performance.now()
  const description = {
    name: 'bench',
    roles: ['api' as const],
    timeoutMs: 60_000,
    since: Date.now(),
    machine: null,
  }
  const token = await store.join(description)
  let cursor = (await store.takeFollower(DIGEST, token, 0))!
  for (;;) {
    const next = await digestStep(store, { name: DIGEST, token, cursor })
    if (next === null) throw new Error('another node follows the log of this database')
    if (next.cursor === cursor) return { events: cursor, seconds: (performance.now() - began) / 1_000 }
    cursor = next.cursor
  }
}
