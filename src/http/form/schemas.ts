/** Schemas shared by several endpoints of this dialect. */

import { PATH_NAME } from '../bounds.ts'

export const OF_DOMAIN = {
  type: 'object',
  required: ['domain'],
  properties: { domain: PATH_NAME },
} as const

export const MESSAGE_ONLY = {
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string' } },
} as const
