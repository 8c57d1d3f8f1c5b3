import { queryOptions } from '@tanstack/react-query'
import type { StepName } from '../../../src/http/console/contract/start.ts'
import { type Body, call, type JsonAnswer } from './client.ts'
import { invalidate } from './queries.ts'

export type SetupStep = JsonAnswer<'GET /installation/steps/:step'>
export type TestMessageBody = Body<'POST /companies/:company/messages'>
export type { StepName }

export const sendersQuery = (company: string) =>
  queryOptions({
    queryKey: ['senders', company],
    queryFn: ({ signal }) => call('GET /companies/:company/senders', { company, signal }),
  })

export async function sendTestMessage(company: string, message: TestMessageBody): Promise<{ id: string }> {
  const sent = await call('POST /companies/:company/messages', { company, body: message })
  await invalidate('steps')
  return sent
}

/**
 * The state of one step towards real mail, checked on request. `company`: `null` for steps of the
 * installation.
 */
export const stepQuery = (company: string | null, step: StepName) =>
  queryOptions({
    queryKey: ['steps', company, step],
    queryFn: ({ signal }) =>
      company === null
        ? call('GET /installation/steps/:step', { step, signal })
        : call('GET /companies/:company/steps/:step', { company, step, signal }),
    staleTime: 30_000,
    retry: 1,
  })
