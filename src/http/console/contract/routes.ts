/** Every route of the console: a new one is a row in the file of its noun, and one in test/http/console/tenants-rows.ts. */
import { KEY_ROUTES } from './keys.ts'

export const CONSOLE_ROUTES = {
  ...KEY_ROUTES,
} as const
