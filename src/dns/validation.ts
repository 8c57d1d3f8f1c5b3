/** Asks whether a resolver validates its answers: it sets the AD bit for a signed name. */
import { exchange, NoReply } from './exchange.ts'
import { isMarkedValid, makeQuery } from './message.ts'
import type { NameServer } from './name-server.ts'

const PATIENCE_MS = 3_000
const TRIES = 2

/** Asks for the SOA record of the root, which is signed. Null: there was no answer. */
export async function validates(server: NameServer): Promise<boolean | null> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const query = makeQuery('', 'SOA', { edns: false, validated: true })
      return isMarkedValid(await exchange(server, query, PATIENCE_MS))
    } catch (error) {
      if (!(error instanceof NoReply)) throw error
    }
  }
  return null
}
