/** The webhooks of the company under load. */
import type { Installation } from '../../harness/service/installation.ts'
import type { EntryType } from '../../src/email/company-event.ts'
import { typesOfWord } from '../../src/events/notices/types.ts'

export interface Endpoint {
  /** Its index is the number in its path. */
  id: string
  dialect: 'json' | 'form'
  secret: string
  /** Empty: everything. */
  types: EntryType[]
}

const WANTED: readonly { dialect: 'json' | 'form'; events: string[] }[] = [
  { dialect: 'json', events: [] },
  { dialect: 'form', events: [] },
  { dialect: 'json', events: ['email.bounced', 'email.delivery_delayed'] },
]

export const ENDPOINTS = WANTED.length

/** As an operator makes them. */
export async function addEndpoints(
  installation: Installation,
  company: string,
  port: number,
): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = []
  for (const [index, { dialect, events }] of WANTED.entries()) {
    const named = events.flatMap((event) => ['--event', event])
    const url = `http://127.0.0.1:${port}/e${index}`
    const args = ['webhook', 'add', '--company', company, '--url', url, '--dialect', dialect, ...named]
    const { id, secret } = await installation.command<{ id: string; secret: string }>(...args)
    const types = events.flatMap((event) => typesOfWord(dialect, event) ?? [])
    endpoints.push({ id, dialect, secret, types })
  }
  return endpoints
}
