import type { Company } from '../accounts/account.ts'
import type { Settings } from '../config/settings.ts'
import type { Store } from '../store/store.ts'
import { OPERATOR } from './authority.ts'
import { createCompany } from './companies.ts'
import { activateDomain, addDomain } from './domains.ts'
import { OperateError } from './error.ts'
import { createKey } from './keys.ts'
import { operationOn } from './open.ts'

/** What a first start made up, so that the first message is one paste away. The token is seen here only. */
export interface FirstStart {
  company: string
  domain: string
  token: string
}

/**
 * Makes a company, an active sending domain and a key in an empty database, where mail cannot leave and can be handed
 * in here. Null elsewhere, and when another node that started at the same moment was first.
 */
export async function firstStart(
  settings: Settings,
  store: Store,
  companies: readonly Company[],
): Promise<FirstStart | null> {
  const apart = settings.delivery.kind === 'capture' && settings.roles.includes('api')
  if (!apart || companies.length > 0) return null
  const next = async () => operationOn(settings, store, OPERATOR, await store.accounts())
  try {
    const company = await createCompany(await next(), { name: 'Acme' })
    const { domain } = await addDomain(await next(), { company: company.id, name: 'acme.test' })
    const op = await next()
    await activateDomain(op, { domain: domain.id })
    const { token } = await createKey(op, { company: company.id, name: 'first key' })
    return { company: company.name, domain: domain.name, token }
  } catch (error) {
    if (error instanceof OperateError && error.code === 'already_exists') return null
    throw error
  }
}
