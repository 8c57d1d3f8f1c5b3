import type { StepName } from '../../../src/http/console/contract/start.ts'
import type { Body, JsonAnswer } from './client.ts'
import { change, read } from './queries.ts'

const OF_COMPANY = 'GET /companies/:company/steps/:step'
const OF_INSTALLATION = 'GET /installation/steps/:step'
const SETUP = 'GET /companies/:company/setup'

export type SetupStep = JsonAnswer<typeof OF_INSTALLATION>
export type CompanySetup = JsonAnswer<typeof SETUP>
export type { StepName }

/** The next step of a company before its first message. */
export const setupQuery = (company: string) => read(SETUP, { company })

export const sendersQuery = (company: string) => read('GET /companies/:company/senders', { company })

export const sendTestMessage = (company: string, body: Body<'POST /companies/:company/messages'>) =>
  change('POST /companies/:company/messages', { company, body }, SETUP, OF_COMPANY, OF_INSTALLATION)

/**
 * The state of one step towards real mail, checked on request. `company`: `null` for steps of the
 * installation.
 */
export const stepQuery = (company: string | null, step: StepName) => ({
  ...(company === null ? read(OF_INSTALLATION, { step }) : read(OF_COMPANY, { company, step })),
  staleTime: 30_000,
  retry: 1,
})
