/** The checks of the installation, for operators. */
import { examine } from '../../operate/doctor/examine.ts'
import type { DOCTOR_ROUTES } from './contract/doctor.ts'
import type { Handlers } from './handlers.ts'

export const doctorHandlers: Handlers<typeof DOCTOR_ROUTES> = {
  'GET /installation/checks': async ({ op }) => {
    const { state, checks } = await examine(op, {})
    return { state, checks: checks.map(({ code = null, ...check }) => ({ ...check, code })) }
  },
}
