/**
 * The command that leads an operator on from a problem: it stands for the page of the console that the advice names.
 */
import { kindOfCheck } from './doctor/check.ts'

/** By the kind of the problem; `subject`: what follows the colon of its id, or empty. */
const COMMANDS: Readonly<Record<string, (subject: string) => string>> = {
  domain: (name) => `domain show ${name}`,
  'held-mail': () => 'site list',
  nodes: () => 'node list',
  'oldest-mail': () => 'node list',
  pools: (name) => (name === '' ? 'pool list' : `pool show ${name}`),
  waiting: (company) => `queue --company ${company}`,
  webhook: (id) => `webhook attempts ${id} --failed`,
  bounces: (company) => `email list --company ${company} --status bounced`,
  complaints: (company) => `email list --company ${company} --status complained`,
}

/** The doctor shows what has no command of its own. */
export function commandFor(id: string): string {
  const kind = kindOfCheck(id)
  return `bin/postroad ${COMMANDS[kind]?.(id.slice(kind.length + 1)) ?? 'doctor'}`
}
