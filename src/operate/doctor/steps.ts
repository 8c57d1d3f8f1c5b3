/** The steps of the guide to real mail, as checks of the doctor. */
import { checkInstallationStep } from '../go-live/go-live.ts'
import type { StepName, StepState } from '../go-live/step.ts'
import type { Operation } from '../verb.ts'
import { type CheckKind, type CheckState, ok, type PlannedCheck } from './check.ts'

const STATES: Readonly<Record<StepState, CheckState>> = {
  done: 'ok',
  unneeded: 'ok',
  open: 'warning',
  wrong: 'problem',
  unknown: 'unknown',
}

/** As `stepCheck`, for a step that does not matter while no mail leaves this machine. */
export function liveStepCheck(
  op: Operation,
  step: Extract<StepName, CheckKind>,
  title: string,
): PlannedCheck {
  if (op.setup.delivery.kind !== 'capture') return stepCheck(op, step, title)
  return { id: step, title, run: async () => ok('This is checked once mail leaves this machine.') }
}

/** `wrong`: the state of a step that was done wrong, if mail leaves all the same. */
export function stepCheck(
  op: Operation,
  step: Extract<StepName, CheckKind>,
  title: string,
  wrong: CheckState = 'problem',
): PlannedCheck {
  return {
    id: step,
    title,
    async run() {
      const { state, found, advice, code } = await checkInstallationStep(op, { step })
      const result = { state: state === 'wrong' ? wrong : STATES[state], found, advice }
      return code === null ? result : { ...result, code }
    },
  }
}
