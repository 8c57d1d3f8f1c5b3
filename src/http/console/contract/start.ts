import type { Static } from 'typebox'
import { SETUP_STEPS, STEPS } from '../../../operate/go-live/step.ts'
import { routes } from './route.ts'
import { NAMED, object, orNull, TEXT, TEXT_OR_NULL } from './shapes.ts'

export type { StepName } from '../../../operate/go-live/step.ts'

const STEP = object({
  state: { enum: ['done', 'open', 'wrong', 'unknown', 'unneeded'] },
  found: TEXT,
  advice: TEXT_OR_NULL,
  code: { description: 'Settings or a command, a line each.', ...TEXT_OR_NULL },
})

const STEP_NAME = { enum: STEPS } as const

const TEST_MESSAGE = object(
  {
    from: { type: 'string', maxLength: 1_000 },
    to: { type: 'string', maxLength: 1_000 },
    subject: { type: 'string', maxLength: 500 },
  },
  {
    html: { type: 'string', maxLength: 100_000 },
    text: { type: 'string', maxLength: 100_000 },
  },
)
export type TestMessage = Static<typeof TEST_MESSAGE>

const SENT = object({ id: TEXT })

/** Domains that a test message may be sent from. */
const SENDERS = object({ domains: { type: 'array', items: TEXT } })

const SETUP = object({
  next: { ...orNull({ enum: SETUP_STEPS }), description: 'Null: the company has sent a message.' },
  domain: orNull(NAMED),
})

export const START_ROUTES = {
  ...routes('company', {
    'GET /companies/:company/setup': { operation: 'start', answer: SETUP },
    'GET /companies/:company/senders': { operation: 'start', answer: SENDERS },
    'POST /companies/:company/messages': { operation: 'send', body: TEST_MESSAGE, answer: SENT },
    'GET /companies/:company/steps/:step': { operation: 'start', params: { step: STEP_NAME }, answer: STEP },
  }),
  ...routes('operator', {
    'GET /installation/steps/:step': { operation: 'start', params: { step: STEP_NAME }, answer: STEP },
  }),
} as const
