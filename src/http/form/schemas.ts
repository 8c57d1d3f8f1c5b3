/** Shapes that several endpoints of this dialect have. */

export const OF_DOMAIN = {
  type: 'object',
  required: ['domain'],
  properties: { domain: { type: 'string' } },
} as const

export const MESSAGE_ONLY = {
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string' } },
} as const
