/** Schemas shared by several endpoints of this dialect. */

export const TEXT = { type: 'string' } as const
export const FLAG = { type: 'boolean' } as const
export const COUNT = { type: 'integer' } as const

export const MESSAGE_ONLY = {
  type: 'object',
  required: ['message'],
  properties: { message: TEXT },
} as const
