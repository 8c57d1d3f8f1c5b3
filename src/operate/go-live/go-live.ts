/** The steps from a first test message to mail that arrives. Each step is actually checked, and says what to do. */
import { OperateError } from '../error.ts'
import { findWholeCompany } from '../find.ts'
import { type Operation, verb } from '../verb.ts'
import { dnsStep, domainStep, messageStep } from './company-steps.ts'
import { backupStep, hostnameStep, httpsStep } from './machine-steps.ts'
import { outgoingStep, routeStep } from './route-steps.ts'
import type { StepName, StepResult } from './step.ts'

const OF_COMPANY = { message: messageStep, domain: domainStep, dns: dnsStep } as const
/** Only for operators: these steps reveal details of the machine, and make it connect to others. */
const OF_INSTALLATION = {
  route: routeStep,
  outgoing: outgoingStep,
  hostname: hostnameStep,
  https: httpsStep,
  backup: backupStep,
} as const

type CompanyStep = keyof typeof OF_COMPANY
type InstallationStep = Exclude<StepName, CompanyStep>

export function isOfCompany(step: StepName): step is CompanyStep {
  return step in OF_COMPANY
}

/** Checks one step of a company. */
export const checkCompanyStep = verb(
  'see',
  async (op: Operation, input: { company: string; step: StepName }): Promise<StepResult> => {
    const { id } = findWholeCompany(op, input.company)
    if (isOfCompany(input.step)) return await OF_COMPANY[input.step](op, id)
    throw new OperateError('not_found', `"${input.step}" is not a step of a company`)
  },
)

/** Checks one step of the installation. */
export const checkInstallationStep = verb(
  'operate',
  async (op: Operation, input: { step: StepName }): Promise<StepResult> => {
    if (isOfCompany(input.step)) throw new OperateError('not_found', `"${input.step}" is a step of a company`)
    return await OF_INSTALLATION[input.step satisfies InstallationStep](op)
  },
  null,
)
