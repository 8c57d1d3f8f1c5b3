/** Where the console begins, on whichever listener it is. */
import { type Answer, TEXT_TYPE } from './answer.ts'

export const CONSOLE_PATH = '/console/'

/** Leads there. */
export function toConsole(): Answer {
  return {
    status: 303,
    type: TEXT_TYPE,
    body: `The console is at ${CONSOLE_PATH}\n`,
    headers: { location: CONSOLE_PATH, vary: 'accept' },
  }
}
