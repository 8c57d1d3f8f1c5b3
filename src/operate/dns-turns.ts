/**
 * Turns of verifications. The records of a domain can make a verification ask hundreds of questions, and the owner's
 * name servers decide how long each one takes. Every question that is open holds a port of this machine, which delivery
 * needs as well.
 */
import { SearchTurns } from '../events/search-turns.ts'

/**
 * Verifications under way on one node: one company alone gets four of them, and four are for companies that have none.
 */
const PLACES = { size: 12, kept: 4, timesFree: 1 }

export function newDnsTurns(): SearchTurns {
  return new SearchTurns(PLACES)
}
