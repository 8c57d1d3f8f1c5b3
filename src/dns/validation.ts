/** Asks whether a resolver validates its answers: it sets the AD bit for a signed name. */
import { askWithEdns } from './edns.ts'
import { NoReply } from './exchange.ts'
import { isMarkedValid } from './message.ts'
import type { NameServer } from './name-server.ts'

const PATIENCE_MS = 3_000
const TRIES = 2

/** Asks for the SOA record of the root, which is signed. Null: there was no answer. */
export async function validates(server: NameServer): Promise<boolean | null> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const question = { name: '', type: 'SOA', validated: true } as const
      return isMarkedValid(await askWithEdns(server, question, PATIENCE_MS))
    } catch (error) {
      if (!(error instanceof NoReply)) throw error
    }
  }
  return null
}
