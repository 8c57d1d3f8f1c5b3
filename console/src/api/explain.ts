import type { JsonAnswer } from './client.ts'
import { change, read } from './queries.ts'

const EXPLANATION = 'GET /companies/:company/explanation'

export type ExplanationAnswer = JsonAnswer<typeof EXPLANATION>

export const explanationQuery = (company: string, address: string) => ({
  ...read(EXPLANATION, { company, query: { address } }),
  retry: false,
})

/** Speaks to the server up to RCPT. For operators. */
export const rehearse = (address: string) => change('POST /installation/rehearsal', { body: { address } })
