import type { Static } from 'typebox'
import { ADDRESS, DOMAIN_NAME } from '../../bounds.ts'
import { routes } from './route.ts'
import { INTEGER_OR_NULL, object, orNull, TEXT, TEXT_OR_NULL, TIME } from './shapes.ts'

const TEXTS = { type: 'array', items: TEXT } as const

const TRIED = object({
  accepted: { type: 'boolean' },
  server: TEXT_OR_NULL,
  message: TEXT,
  dialogue: TEXT,
})

const EXPLANATION = object({
  headline: TEXT,
  problem: { ...TEXT_OR_NULL, description: 'Null: mail would leave now.' },
  route: TEXT,
  site: object({ name: TEXT, sessions: { type: 'integer' } }),
  hosts: {
    type: 'array',
    items: object({ name: TEXT, preference: INTEGER_OR_NULL, addresses: TEXTS, tls: TEXT }),
  },
  helo: TEXT,
  last: {
    type: 'array',
    items: object({ emailId: TEXT, acceptedAt: TIME, recipient: TEXT, state: TEXT, reply: TEXT_OR_NULL }),
  },
  tried: orNull(TRIED),
})
export type ShownExplanation = Static<typeof EXPLANATION>

const OF_ADDRESS = object({ address: ADDRESS }, { from: DOMAIN_NAME })

export const EXPLAIN_ROUTES = {
  ...routes('company', {
    'GET /companies/:company/explanation': { operation: 'explain', query: OF_ADDRESS, answer: EXPLANATION },
  }),
  ...routes('operator', {
    'POST /installation/rehearsal': {
      operation: 'explain',
      body: OF_ADDRESS,
      answer: EXPLANATION,
    },
  }),
} as const
