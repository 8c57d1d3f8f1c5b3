import { createHash } from 'node:crypto'
import type { SQLInputValue } from 'node:sqlite'
import { rowBinder } from '../../../email/codec.ts'
import { fieldsOf } from '../../../email/fields.ts'
import { COLUMNS } from '../../email-columns.ts'
import type { NewEmail } from '../../store.ts'
import { OnConnection } from '../connection.ts'
import { all, bodyBound, one } from '../rows.ts'

const FIELDS = fieldsOf().filter(({ large }) => large === true)
const columnsOf = rowBinder<NewEmail, SQLInputValue>(FIELDS, COLUMNS)

/** Bodies and files of emails. A file is stored once for a company, however many of its emails carry it. */
export class Contents extends OnConnection {
  readonly #insert = this.db.prepare(
    `INSERT INTO contents (email, created_at, ${FIELDS.map(({ column }) => column).join(', ')})
     VALUES (?, ?, ${FIELDS.map(bodyBound).join(', ')})`,
  )
  readonly #delete = this.db.prepare('DELETE FROM contents WHERE email = ?')
  readonly #blob = this.db.prepare('SELECT num FROM blobs WHERE company = ? AND sha256 = ?')
  readonly #insertBlob = this.db.prepare('INSERT INTO blobs (company, sha256, bytes) VALUES (?, ?, ?)')
  readonly #deleteBlob = this.db.prepare(
    'DELETE FROM blobs WHERE num = ?1 AND NOT EXISTS (SELECT 1 FROM attachments WHERE blob = ?1)',
  )
  readonly #insertAttachment = this.db.prepare(
    `INSERT INTO attachments (email, position, blob, filename, content_type, disposition, content_id)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  readonly #blobsOf = this.db.prepare('SELECT DISTINCT blob FROM attachments WHERE email = ?')
  readonly #deleteAttachments = this.db.prepare('DELETE FROM attachments WHERE email = ?')
  readonly #forgetRawFiles = this.db.prepare(
    'UPDATE emails SET raw_files = NULL WHERE num = ? AND raw_files IS NOT NULL',
  )
  readonly #deleteCaptured = this.db.prepare('DELETE FROM captured WHERE email = ?')

  insert(num: number, company: number, email: NewEmail): void {
    this.#insert.run(num, Math.round(email.createdAt), ...columnsOf(email, company))
    for (const [position, file] of email.content.attachments.entries()) {
      const blob = this.#blobFor(company, file.content)
      const { filename, contentType, disposition, contentId } = file
      this.#insertAttachment.run(num, position, blob, filename, contentType, disposition, contentId ?? null)
    }
  }

  /** Removes the large parts of an email: bodies, files that no other email refers to, and captured copies. */
  remove(num: number): void {
    const blobs = all<{ blob: number }>(this.#blobsOf, num)
    this.#deleteAttachments.run(num)
    for (const { blob } of blobs) this.#deleteBlob.run(blob)
    this.#delete.run(num)
    this.#deleteCaptured.run(num)
    this.#forgetRawFiles.run(num)
  }

  #blobFor(company: number, bytes: Uint8Array): number {
    const sha256 = createHash('sha256').update(bytes).digest()
    const known = one<{ num: number }>(this.#blob, company, sha256)
    if (known !== undefined) return known.num
    return Number(this.#insertBlob.run(company, sha256, bytes).lastInsertRowid)
  }
}
