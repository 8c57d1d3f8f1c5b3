/** What the page hears when something is wrong. */
import { object, TEXT } from './shapes.ts'
export const CONSOLE_ERROR = object({
  error: object(
    {
      code: TEXT,
      /** A sentence. */
      message: TEXT,
    },
    {
      /** The field of a form that it is about. */
      field: TEXT,
    },
  ),
})
