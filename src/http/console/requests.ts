/** The log of API requests, newest first. */
import { listApiRequests } from '../../operate/api-requests.ts'
import { companyName } from '../../operate/find.ts'
import { isoTime } from '../../operate/shapes/time.ts'
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
    const nameOf = (id: string) => op.accounts.keys.find((each) => each.id === id)?.name ?? id
    const shown = data.map(({ at, companyId, keyId, ...entry }) => ({
      ...entry,
      at: isoTime(at),
      company: companyId === null ? null : { id: companyId, name: companyName(op, companyId) },
      key: keyId === null ? null : { id: keyId, name: nameOf(keyId) },
    }))
    return { data: shown, previous, next }
  },
}
