/** Schemas shared by several endpoints of this dialect. */

export const MESSAGE_ONLY = {
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string' } },
} as const
