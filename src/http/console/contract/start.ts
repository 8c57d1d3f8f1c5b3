import type { Static } from 'typebox'
import { STEPS } from '../../../operate/go-live/step.ts'

export const STEP = {
  type: 'object',
  additionalProperties: false,
  required: ['state', 'found', 'advice'],
  properties: {
    state: { enum: ['done', 'open', 'wrong', 'unknown', 'unneeded'] },
    found: { type: 'string' },
    advice: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
} as const
export type StepShown = Static<typeof STEP>

export const STEP_NAME = { enum: STEPS } as const
export type StepName = Static<typeof STEP_NAME>

export const TEST_MESSAGE = {
  type: 'object',
  additionalProperties: false,
  required: ['from', 'to', 'subject'],
  properties: {
    from: { type: 'string', maxLength: 1_000 },
    to: { type: 'string', maxLength: 1_000 },
    subject: { type: 'string', maxLength: 500 },
    html: { type: 'string', maxLength: 100_000 },
    text: { type: 'string', maxLength: 100_000 },
  },
} as const
export type TestMessage = Static<typeof TEST_MESSAGE>

export const SENT = {
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: { id: { type: 'string' } },
} as const

/** Domains that a test message may be from. */
export const SENDERS = {
  type: 'object',
  additionalProperties: false,
  required: ['domains'],
  properties: { domains: { type: 'array', items: { type: 'string' } } },
} as const
