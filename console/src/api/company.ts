import { type Body, type JsonAnswer, urlOf } from './client.ts'
import { change, read } from './queries.ts'
import type { Me } from './session.ts'

export type CompanySettings = JsonAnswer<'GET /companies/:company'>

const ONE = 'GET /companies/:company'

export const companyQuery = (company: string) => read(ONE, { company })

/** The address of a logo names its digest, so browsers keep the picture. */
export function logoUrl({ id, logo }: Pick<Me['companies'][number], 'id' | 'logo'>): string | null {
  return logo === null ? null : urlOf('GET /companies/:company/logo', { company: id, query: { v: logo } })
}

export const renameCompany = (company: string, name: string) =>
  change('PUT /companies/:company/name', { company, body: { name } }, ONE, 'GET /session')

export const setLimits = (company: string, body: Body<'PUT /companies/:company/limits'>) =>
  change('PUT /companies/:company/limits', { company, body }, ONE)

/** `picture`: base64. */
export const setLogo = (company: string, picture: string) =>
  change('PUT /companies/:company/logo', { company, body: { picture } }, ONE, 'GET /session')

export const removeLogo = (company: string) =>
  change('DELETE /companies/:company/logo', { company }, ONE, 'GET /session')
