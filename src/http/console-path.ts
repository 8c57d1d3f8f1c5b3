/** The path of the console, on every listener. */
import { type Answer, TEXT_TYPE } from './answer.ts'

export const CONSOLE_PATH = '/console/'

/** Redirects to the console. */
export function redirectToConsole(): Answer {
  return {
    status: 303,
    type: TEXT_TYPE,
    body: `The console is at ${CONSOLE_PATH}\n`,
    headers: { location: CONSOLE_PATH, vary: 'accept' },
  }
}
