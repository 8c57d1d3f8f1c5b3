import { randomUUIDv7 } from 'node:crypto'
import { newDomain } from '../accounts/new-domain.ts'
import type { Seal } from '../accounts/seal.ts'
import { newToken } from '../accounts/token.ts'
import type { Store } from '../store/store.ts'

/** What a first start made up, so that the first message is one paste away. The token is seen here only. */
export interface FirstStart {
  company: string
  domain: string
  token: string
}

/** Makes a company, an active sending domain and a key, for an empty database whose mail is captured and goes nowhere. */
export async function makeFirstCompany(store: Store, seal: Seal): Promise<FirstStart> {
  const createdAt = Date.now()
  const company = { id: randomUUIDv7(), name: 'Acme', createdAt }
  const domain = await newDomain({ companyId: company.id, name: 'acme.test', seal, ed25519: false })
  const { token, hash } = newToken()
  await store.addCompany(company)
  await store.addDomain({ ...domain, sending: 'active' })
  await store.addKey({
    id: randomUUIDv7(),
    companyId: company.id,
    name: 'first key',
    tokenHash: hash,
    scopes: ['sending', 'reading'],
    domainId: null,
    createdAt,
    networks: [],
    expiresAt: null,
    revokedAt: null,
  })
  return { company: company.name, domain: domain.name, token }
}
