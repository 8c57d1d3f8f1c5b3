/** One person's row, with the unique values: address and identities. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type Credentials, givesWay, type Person } from '../../../people/person.ts'
import { type PersonRow, personOf, personValues, TAKEN_IDENTITY, takenAddress } from '../../people-rows.ts'
import * as sql from '../../people-statements.ts'
import { numbered, one } from '../rows.ts'
import { unlessTaken } from './unless-taken.ts'

export class PersonRows {
  readonly #insert
  readonly #byAddress
  readonly #remove
  readonly #addIdentity
  readonly #removeIdentities

  constructor(db: DatabaseSync) {
    const prepare = (text: string) => db.prepare(numbered(text))
    this.#insert = prepare(sql.ADD_PERSON)
    this.#byAddress = prepare(sql.PERSON_BY_ADDRESS)
    this.#remove = prepare(sql.REMOVE_PERSON)
    this.#addIdentity = prepare(sql.ADD_IDENTITY)
    this.#removeIdentities = prepare(sql.REMOVE_IDENTITIES)
  }

  insert(person: Person): void {
    this.makeRoom(person.address, person.id)
    unlessTaken(takenAddress(person.address), () => this.#insert.run(...personValues(person).map(bound)))
    this.setIdentities(person.id, person.credentials)
  }

  /** Removes the account with this address, if it is not `id` and gives way. */
  makeRoom(address: string | null, id: string): void {
    const row = address === null ? undefined : one<PersonRow>(this.#byAddress, address)
    if (row !== undefined && row.id !== id && givesWay(personOf(row))) this.#remove.all(row.id)
  }

  setIdentities(person: string, { identities }: Credentials): void {
    this.#removeIdentities.run(person)
    unlessTaken(TAKEN_IDENTITY, () => {
      for (const { issuer, subject } of identities) this.#addIdentity.run(issuer, subject, person)
    })
  }
}

/** SQLite has no booleans. */
export function bound(value: string | number | boolean | null): SQLInputValue {
  return typeof value === 'boolean' ? Number(value) : value
}
