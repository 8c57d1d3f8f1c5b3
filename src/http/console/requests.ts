/** The log of API requests, newest first. */
import { isKeyless } from '../../accounts/account.ts'
import { listApiRequests, showApiRequest } from '../../operate/api-requests.ts'
import { companyName } from '../../operate/find.ts'
import { isoTime } from '../../operate/shapes/time.ts'
import type { Operation } from '../../operate/verb.ts'
import type { ApiRequest } from '../../store/store.ts'
import { cursorPage } from '../cursor-page.ts'
import type { REQUEST_ROUTES } from './contract/requests.ts'
import type { Handlers } from './handlers.ts'
import { timeIn } from './time-in.ts'

export const requestHandlers: Handlers<typeof REQUEST_ROUTES> = {
  'GET /companies/:company/requests': async ({ op, company, query }) => {
    const { after, before, limit = 50, from, to, ...wanted } = query
    const filter = {
      ...wanted,
      company: company ?? undefined,
      from: timeIn('from', from),
      to: timeIn('to', to),
    }
    const { data, previous, next } = await cursorPage(
      { limit, after, before },
      (page) => listApiRequests(op, { ...filter, ...page }),
      ({ id }) => id,
    )
    return { data: data.map((request) => shown(op, request)), previous, next }
  },

  'GET /companies/:company/requests/:id': async ({ op, company, params: { id } }) =>
    shown(op, await showApiRequest(op, { company: company ?? undefined, id })),
}

function shown(op: Operation, { at, companyId, keyId, ...entry }: ApiRequest) {
  return {
    ...entry,
    at: isoTime(at),
    company: companyId === null ? null : { id: companyId, name: companyName(op, companyId) },
    key: keyId === null ? null : { id: keyId, name: keyName(op, keyId) },
  }
}

function keyName(op: Operation, keyId: string): string {
  if (isKeyless({ keyId })) return 'no key'
  return op.accounts.keys.find(({ id }) => id === keyId)?.name ?? keyId
}
