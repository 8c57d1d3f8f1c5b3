import type { Command } from 'commander'
import { type CheckState, type Diagnosis, examine, withoutDatabase } from '../operate/doctor/examine.ts'
import { type OperateCode, OperateError } from '../operate/error.ts'
import { command, type JsonOption } from './command.ts'
import { withOperation } from './open.ts'
import { printJson, printLine } from './print.ts'

const DATABASE_FAULTS: ReadonlySet<OperateCode> = new Set(['unavailable', 'damaged'])

export function addDoctor(program: Command): void {
  command(program, {
    usage: 'doctor',
    description: 'Check whether this machine can send mail, and say what to do where it cannot.',
    details:
      'The command queries DNS, block lists, a time server and the mail servers of large providers. It sends no mail, and works ' +
      'whether the service runs or not.\n\n' +
      '  ok       as it should be, or not needed\n' +
      '  unknown  could not be checked\n' +
      '  warning  mail is sent, but something should be improved\n' +
      '  PROBLEM  mail is not sent, or soon will not be\n\n' +
      'The exit code is 1 if there is a problem.',
    examples: ['doctor', 'doctor --json'],
  }).action(doctor)
}

async function doctor({ json }: JsonOption): Promise<void> {
  const diagnosis = await withOperation((op) => examine(op, {})).catch(databaseFault)
  if (json) printJson(diagnosis)
  else printDiagnosis(diagnosis)
  if (diagnosis.state === 'problem') process.exitCode = 1
}

/** Rethrows any other error. */
function databaseFault(error: unknown): Diagnosis {
  if (!(error instanceof OperateError) || !DATABASE_FAULTS.has(error.code)) throw error
  return withoutDatabase(error)
}

/** All of them are as wide as the longest one. */
const WORDS: Readonly<Record<CheckState, string>> = {
  ok: 'ok     ',
  unknown: 'unknown',
  warning: 'warning',
  problem: 'PROBLEM',
}
const INDENT = ' '.repeat('PROBLEM  '.length)

function printDiagnosis({ checks }: Diagnosis): void {
  for (const { state, title, found, advice, code = '' } of checks) {
    printLine(`${WORDS[state]}  ${title}: ${found}`)
    if (advice !== null) printLine(`${INDENT}${advice}`)
    for (const line of code.split('\n')) if (line !== '') printLine(`${INDENT}  ${line}`)
  }
  const count = (state: CheckState) => checks.filter((check) => check.state === state).length
  printLine()
  const problems = `${count('problem')} ${count('problem') === 1 ? 'problem' : 'problems'}`
  printLine(
    `${checks.length} ${checks.length === 1 ? 'check' : 'checks'}: ${count('ok')} ok, ${count('warning')} to improve, ${problems}, ${count('unknown')} unknown.`,
  )
}
