/** The records in the store of a stopped service, by the numbers of the crash load. */
import { parseDatabase } from '../../src/config/parse/database.ts'
import { openStore } from '../../src/store/open.ts'
import { numberOfSubject } from './crash-load.ts'

export interface Stored {
  /** How many emails carry this number. */
  times: number
  /** Its delivery is on record. */
  delivered: boolean
}

const EVERYTHING = 10_000_000

export async function readStored(databaseUrl: string): Promise<Map<number, Stored>> {
  const store = await openStore(parseDatabase(databaseUrl), { exclusive: false })
  const stored = new Map<number, Stored>()
  try {
    for (const { subject, lastEvent } of await store.listEmails({ limit: EVERYTHING })) {
      const number = numberOfSubject(subject)
      if (number === null) continue
      const known = stored.get(number)
      const delivered = lastEvent === 'delivered' || known?.delivered === true
      stored.set(number, { times: (known?.times ?? 0) + 1, delivered })
    }
    return stored
  } finally {
    await store.close()
  }
}
