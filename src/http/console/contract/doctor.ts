import { CHECK_STATES } from '../../../operate/doctor/check.ts'
import { routes } from './route.ts'
import { object, TEXT, TEXT_OR_NULL } from './shapes.ts'

const STATE = { enum: CHECK_STATES } as const

const CHECK = object({
  id: TEXT,
  title: TEXT,
  state: STATE,
  found: TEXT,
  advice: TEXT_OR_NULL,
  page: { description: 'The page of the console about the subject of the check.', ...TEXT_OR_NULL },
  code: { description: 'Settings or a command, a line each.', ...TEXT_OR_NULL },
})

const DIAGNOSIS = object({ state: STATE, checks: { type: 'array', items: CHECK } })

export const DOCTOR_ROUTES = routes('operator', {
  'GET /installation/checks': { operation: 'doctor', answer: DIAGNOSIS },
})
