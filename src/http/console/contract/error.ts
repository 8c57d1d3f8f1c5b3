/** What the page hears when something is wrong. */
export const CONSOLE_ERROR = {
  type: 'object',
  additionalProperties: false,
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      additionalProperties: false,
      required: ['code', 'message'],
      properties: {
        code: { type: 'string' },
        /** A sentence. */
        message: { type: 'string' },
        /** The field of a form that it is about. */
        field: { type: 'string' },
      },
    },
  },
} as const
