import type { DatabaseSync } from 'node:sqlite'

/** Base of classes that work on one connection. Their statements are fields, prepared once at construction. */
export class OnConnection {
  protected readonly db: DatabaseSync

  constructor(db: DatabaseSync) {
    this.db = db
  }
}

/** The same, with shared parts. */
export class WithParts<Parts> extends OnConnection {
  protected readonly parts: Parts

  constructor(db: DatabaseSync, parts: Parts) {
    super(db)
    this.parts = parts
  }
}
