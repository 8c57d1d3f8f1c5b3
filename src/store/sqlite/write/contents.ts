import { createHash } from 'node:crypto'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { rowBinder } from '../../../email/codec.ts'
import { fieldsOf } from '../../../email/fields.ts'
import { COLUMNS } from '../../email-columns.ts'
import type { NewEmail } from '../../store.ts'
import { all, one } from '../rows.ts'

const FIELDS = fieldsOf().filter(({ large }) => large === true)
const columnsOf = rowBinder<NewEmail, SQLInputValue>(FIELDS, COLUMNS)

/** Bodies and files of emails. A file is kept once for a company, however many of its emails carry it. */
export class Contents {
  readonly #insert: StatementSync
  readonly #delete: StatementSync
  readonly #blob: StatementSync
  readonly #insertBlob: StatementSync
  readonly #deleteBlob: StatementSync
  readonly #insertAttachment: StatementSync
  readonly #blobsOf: StatementSync
  readonly #deleteAttachments: StatementSync
  readonly #deleteCaptured: StatementSync

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare(
      `INSERT INTO contents (email, created_at, ${FIELDS.map(({ column }) => column).join(', ')})
       VALUES (?, ?${', ?'.repeat(FIELDS.length)})`,
    )
    this.#delete = db.prepare('DELETE FROM contents WHERE email = ?')
    this.#blob = db.prepare('SELECT num FROM blobs WHERE company = ? AND sha256 = ?')
    this.#insertBlob = db.prepare('INSERT INTO blobs (company, sha256, bytes) VALUES (?, ?, ?)')
    this.#deleteBlob = db.prepare(
      'DELETE FROM blobs WHERE num = ?1 AND NOT EXISTS (SELECT 1 FROM attachments WHERE blob = ?1)',
    )
    this.#insertAttachment = db.prepare(
      `INSERT INTO attachments (email, position, blob, filename, content_type, disposition, content_id)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#blobsOf = db.prepare('SELECT DISTINCT blob FROM attachments WHERE email = ?')
    this.#deleteAttachments = db.prepare('DELETE FROM attachments WHERE email = ?')
    this.#deleteCaptured = db.prepare('DELETE FROM captured WHERE email = ?')
  }

  insert(num: number, company: number, email: NewEmail): void {
    this.#insert.run(num, Math.round(email.createdAt), ...columnsOf(email, company))
    for (const [position, file] of email.content.attachments.entries()) {
      const blob = this.#blobFor(company, file.content)
      const { filename, contentType, disposition, contentId } = file
      this.#insertAttachment.run(num, position, blob, filename, contentType, disposition, contentId ?? null)
    }
  }

  /** Removes what is large about an email: bodies, files nobody else refers to, what the capture route kept. */
  remove(num: number): void {
    const blobs = all<{ blob: number }>(this.#blobsOf, num)
    this.#deleteAttachments.run(num)
    for (const { blob } of blobs) this.#deleteBlob.run(blob)
    this.#delete.run(num)
    this.#deleteCaptured.run(num)
  }

  #blobFor(company: number, bytes: Uint8Array): number {
    const sha256 = createHash('sha256').update(bytes).digest()
    const known = one<{ num: number }>(this.#blob, company, sha256)
    if (known !== undefined) return known.num
    return Number(this.#insertBlob.run(company, sha256, bytes).lastInsertRowid)
  }
}
