import { StoreConflict } from '../store.ts'
import type { PortSteps, ReadPort } from './port.ts'
import { statement } from './statement.ts'

/** Reads the number of a company from the database; may be used in a transaction. */
export const COMPANY = statement<{ num: number }>('SELECT num FROM companies WHERE id = $1')

/** The number of a company. Throws StoreConflict for an unknown id. Not to be called in a transaction. */
export function* companyNumber(port: ReadPort, id: string): PortSteps<number> {
  const number = yield* port.findCompany(id)
  if (number === undefined) throw new StoreConflict(`There is no company with the id ${id}`)
  return number
}
