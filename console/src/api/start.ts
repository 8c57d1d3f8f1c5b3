import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  SENDERS,
  SENT,
  StepName,
  StepShown,
  TestMessage,
} from '../../../src/http/console/contract/start.ts'
import { get, pathOf, post } from './client.ts'
import { invalidate } from './queries.ts'

export type { StepName, StepShown, TestMessage }

export const sendersQuery = (company: string) =>
  queryOptions({
    queryKey: ['senders', company],
    queryFn: ({ signal }) => get<Static<typeof SENDERS>>(`/companies${pathOf(company)}/senders`, {}, signal),
  })

export async function sendTestMessage(company: string, message: TestMessage): Promise<Static<typeof SENT>> {
  const sent = await post<Static<typeof SENT>>(`/companies${pathOf(company)}/messages`, message)
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
      get<StepShown>(
        company === null
          ? `/installation/steps${pathOf(step)}`
          : `/companies${pathOf(company)}/steps${pathOf(step)}`,
        {},
        signal,
      ),
    staleTime: 30_000,
    retry: 1,
  })
