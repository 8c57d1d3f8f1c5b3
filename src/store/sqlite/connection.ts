import type { DatabaseSync } from 'node:sqlite'

/** What works on one connection. Its statements are fields, prepared once as it is made. */
export class OnConnection {
  protected readonly db: DatabaseSync

  constructor(db: DatabaseSync) {
    this.db = db
  }
}

/** The same, with the parts that it works with. */
export class WithParts<Parts> extends OnConnection {
  protected readonly parts: Parts

  constructor(db: DatabaseSync, parts: Parts) {
    super(db)
    this.parts = parts
  }
}
