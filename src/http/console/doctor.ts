/** The checks of the installation, for operators. */
import { acceptsMail } from '../../accounts/sending.ts'
import { companyOfCheck } from '../../operate/alerts/alert-domain.ts'
import { pageOfAlert } from '../../operate/alerts/alert-page.ts'
import { examine } from '../../operate/doctor/examine.ts'
import type { DOCTOR_ROUTES } from './contract/doctor.ts'
import type { Handlers } from './handlers.ts'

export const doctorHandlers: Handlers<typeof DOCTOR_ROUTES> = {
  'GET /installation/checks': async ({ op }) => {
    const { state, checks } = await examine(op, {})
    const sending = op.accounts.domains.filter(acceptsMail)
    const pageOf = (id: string) => {
      const companyId = companyOfCheck(id, sending)
      return companyId === null ? null : pageOfAlert({ id, companyId }, sending)
    }
    return {
      state,
      checks: checks.map(({ code = null, ...check }) => ({ ...check, code, page: pageOf(check.id) })),
    }
  },
}
