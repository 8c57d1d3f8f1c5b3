import type { Body, JsonAnswer } from './client.ts'
import { change, read } from './queries.ts'

const EXPLANATION = 'GET /companies/:company/explanation'

export type ExplanationAnswer = JsonAnswer<typeof EXPLANATION>

/** `from`: the name of a sending domain. */
export type ExplainedMail = Body<'POST /installation/rehearsal'>

export const explanationQuery = (company: string, mail: ExplainedMail) => ({
  ...read(EXPLANATION, { company, query: mail }),
  retry: false,
})

/** Opens an SMTP session with the recipient's server, and ends it after RCPT. For operators. */
export const rehearse = (mail: ExplainedMail) => change('POST /installation/rehearsal', { body: mail })
