/** Inserts one person, with the unique values: address and identities. */
import { type Credentials, givesWay, type Person } from '../../people/person.ts'
import { type PersonRow, personOf, personValues, TAKEN_IDENTITY, takenAddress } from '../people-rows.ts'
import * as sql from '../people-statements.ts'
import type { Session } from './database.ts'
import { unlessTaken } from './unless-taken.ts'

export async function insertPerson(session: Session, person: Person): Promise<void> {
  await makeRoom(session, person.address, person.id)
  await unlessTaken(session, sql.ADD_PERSON, personValues(person), takenAddress(person.address))
  await setIdentities(session, person.id, person.credentials)
}

/** Removes the account with this address, if it is not `id` and gives way. */
export async function makeRoom(session: Session, address: string | null, id: string): Promise<void> {
  if (address === null) return
  // Locked before it is read: an account that has gained a membership meanwhile does not give way.
  await session.run(`${sql.HOLDER} FOR UPDATE`, [address])
  const [row] = await session.run<PersonRow>(sql.PERSON_BY_ADDRESS, [address])
  if (row !== undefined && row.id !== id && givesWay(personOf(row))) {
    await session.run(sql.REMOVE_PERSON, [row.id])
  }
}

export async function setIdentities(
  session: Session,
  id: string,
  { identities }: Credentials,
): Promise<void> {
  await session.run(sql.REMOVE_IDENTITIES, [id])
  for (const { issuer, subject } of identities) {
    await unlessTaken(session, sql.ADD_IDENTITY, [issuer, subject, id], TAKEN_IDENTITY)
  }
}
