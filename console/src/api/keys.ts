import { keepPreviousData } from '@tanstack/react-query'
import type { Body, JsonAnswer, QueryOf } from './client.ts'
import { change, read } from './queries.ts'

const LIST = 'GET /companies/:company/keys'

export type ApiKey = JsonAnswer<typeof LIST>['keys'][number]
export type KeyWithToken = JsonAnswer<'POST /companies/:company/keys'>
export type NewKey = Body<'POST /companies/:company/keys'>

export const keysQuery = (company: string, query: QueryOf<typeof LIST>) => ({
  ...read(LIST, { company, query }),
  placeholderData: keepPreviousData,
})

export const createKey = (company: string, body: NewKey) =>
  change('POST /companies/:company/keys', { company, body }, LIST)

export const renameKey = (company: string, key: string, name: string) =>
  change('PATCH /companies/:company/keys/:key', { company, key, body: { name } }, LIST)

export type RotatedKey = JsonAnswer<'POST /companies/:company/keys/:key/rotation'>

export const rotateKey = (company: string, key: string, endsAt: string) =>
  change('POST /companies/:company/keys/:key/rotation', { company, key, body: { endsAt } }, LIST)

export const revokeKey = (company: string, key: string) =>
  change('DELETE /companies/:company/keys/:key', { company, key }, LIST)
