import { KEY_REMEMBERED_MS } from '../../email/idempotency.ts'
import type { RetentionRequest } from '../store.ts'
import { uuids } from './arrays.ts'
import type { Database, Session } from './database.ts'

/** Emails looked at in one statement at most, touched or not. */
const LOOKS = 500

const START: Place = { at: Number.MIN_SAFE_INTEGER, id: '00000000-0000-0000-0000-000000000000' }

interface Place {
  /** Unix ms of `created_at`. */
  at: number
  id: string
}

const CANDIDATES = `WITH looked AS (
    SELECT id, created_at FROM emails
    WHERE content_removed = $1 AND created_at >= $2 AND (created_at, id) > ($2, $3::uuid) AND created_at < $4
    ORDER BY created_at, id LIMIT ${LOOKS}
  )
  SELECT id, created_at AS at, EXISTS (SELECT 1 FROM queue q WHERE q.email = looked.id) AS live
  FROM looked ORDER BY created_at, id`

/** Another node may be at the same emails: each takes those that the other has not. */
const LOCK = `SELECT id FROM emails WHERE id = ANY($1::uuid[]) AND content_removed = $2
  ORDER BY id FOR UPDATE SKIP LOCKED`

const FORGET_KEYS = `DELETE FROM idempotency WHERE (company, key) IN (
    SELECT company, key FROM idempotency WHERE created_at <= $1 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING 1`

const LOCK_BLOBS = `SELECT b.company, encode(b.sha256, 'hex') AS sha256 FROM blobs b
  WHERE (b.company, b.sha256) IN (SELECT company, sha256 FROM attachments WHERE email = ANY($1::uuid[]))
  ORDER BY b.company, b.sha256 FOR UPDATE`
const DELETE_BLOBS = `DELETE FROM blobs b
  USING (SELECT (j ->> 'company')::integer AS company, decode(j ->> 'sha256', 'hex') AS sha256
         FROM json_array_elements($1::json) AS j) AS f
  WHERE b.company = f.company AND b.sha256 = f.sha256
    AND NOT EXISTS (SELECT 1 FROM attachments a WHERE a.company = b.company AND a.sha256 = b.sha256)`

/** Tables with the rows of an email, by its id; its own row goes last. */
const PARTS = ['events', 'attempts', 'recipients'] as const

/**
 * Removes what is older than it needs to be, in small transactions: content first, later the email with all that hangs
 * on it. Emails with recipients still waiting or being sent are left alone. Several nodes may do this at once.
 */
export class Retention {
  readonly #database: Database
  /** Where the walks over the ages go on: everything before is unfinished or gone. */
  #contentFrom = START
  #emailsFrom = START

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns how many emails were touched; 0 when there is nothing left to do. */
  async retain(request: RetentionRequest): Promise<number> {
    for (;;) {
      const { touched, done } = await this.#step(request)
      if (touched > 0 || done) return touched
    }
  }

  /** `done`: a whole walk has ended, and the next step starts over. */
  async #step({ contentBefore, emailsBefore, limit }: RetentionRequest): Promise<Step> {
    const keys = await this.#database.write(FORGET_KEYS, [Date.now() - KEY_REMEMBERED_MS, limit])
    // An email goes after its content, so that nothing is removed by two ways.
    const content = await this.#walk(
      false,
      this.#contentFrom,
      Math.max(contentBefore, emailsBefore),
      limit,
      removeContent,
    )
    this.#contentFrom = content.reached
    let { touched } = content
    let done = content.done && keys.length < limit
    if (touched < limit && content.done) {
      const emails = await this.#walk(true, this.#emailsFrom, emailsBefore, limit - touched, removeEmails)
      this.#emailsFrom = emails.reached
      touched += emails.touched
      done &&= emails.done
    }
    if (done) {
      this.#contentFrom = START
      this.#emailsFrom = START
    }
    return { touched, done }
  }

  async #walk(
    contentRemoved: boolean,
    from: Place,
    before: number,
    limit: number,
    remove: (session: Session, ids: Buffer) => Promise<void>,
  ): Promise<Step & { reached: Place }> {
    const candidates = await this.#database.read<Place & { live: boolean }>(CANDIDATES, [
      contentRemoved,
      from.at,
      from.id,
      Math.round(before),
    ])
    const finished = candidates.filter(({ live }) => !live).slice(0, limit)
    // Not past the last one that is taken, unless all were looked at.
    const all = finished.length < limit
    const reached = (all ? candidates.at(-1) : finished.at(-1)) ?? from
    const touched = finished.length === 0 ? 0 : await this.#remove(finished, contentRemoved, remove)
    return { touched, reached, done: all && candidates.length < LOOKS }
  }

  async #remove(
    emails: Place[],
    contentRemoved: boolean,
    remove: (session: Session, ids: Buffer) => Promise<void>,
  ): Promise<number> {
    return await this.#database.transaction(async (session) => {
      const ours = await session.run<{ id: string }>(LOCK, [
        uuids(emails.map(({ id }) => id)),
        contentRemoved,
      ])
      if (ours.length > 0) await remove(session, uuids(ours.map(({ id }) => id)))
      return ours.length
    })
  }
}

interface Step {
  touched: number
  done: boolean
}

/** Bodies, files nobody else refers to, and what the capture route kept. */
async function removeContent(session: Session, ids: Buffer): Promise<void> {
  const blobs = await session.run<{ company: number; sha256: string }>(LOCK_BLOBS, [ids])
  await session.run('DELETE FROM attachments WHERE email = ANY($1::uuid[])', [ids])
  // Only a statement that begins after the files are locked sees who has come to refer to them in the meantime.
  if (blobs.length > 0) await session.run(DELETE_BLOBS, [JSON.stringify(blobs)])
  await session.run('DELETE FROM captured WHERE email = ANY($1::uuid[])', [ids])
  await session.run(
    `UPDATE emails SET content_removed = true, html = NULL, text = NULL, raw = NULL WHERE id = ANY($1::uuid[])`,
    [ids],
  )
}

async function removeEmails(session: Session, ids: Buffer): Promise<void> {
  for (const table of PARTS) await session.run(`DELETE FROM ${table} WHERE email = ANY($1::uuid[])`, [ids])
  await session.run('DELETE FROM emails WHERE id = ANY($1::uuid[])', [ids])
}
