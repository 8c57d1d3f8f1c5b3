/** The error body of the console's API. */
import { object, TEXT } from './shapes.ts'
export const CONSOLE_ERROR = object({
  error: object(
    {
      code: TEXT,
      /** A sentence. */
      message: TEXT,
    },
    {
      /** The field of the form that the error is about. */
      field: TEXT,
    },
  ),
})
