import type { Static } from 'typebox'
import { STEPS } from '../../../operate/go-live/step.ts'
import { object, TEXT, TEXT_OR_NULL } from './shapes.ts'

export const STEP = object({
  state: { enum: ['done', 'open', 'wrong', 'unknown', 'unneeded'] },
  found: TEXT,
  advice: TEXT_OR_NULL,
})
export type StepShown = Static<typeof STEP>

export const STEP_NAME = { enum: STEPS } as const
export type StepName = Static<typeof STEP_NAME>

export const TEST_MESSAGE = object(
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

export const SENT = object({ id: TEXT })

/** Domains that a test message may be sent from. */
export const SENDERS = object({ domains: { type: 'array', items: TEXT } })
