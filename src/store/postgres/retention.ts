import { isEmailId } from '../../email/email-id.ts'
import { KEY_REMEMBERED_MS } from '../../email/queued-email.ts'
import { latestDue, periodOf } from '../shorter-retention.ts'
import type { RetentionRequest, Store } from '../store.ts'
import { uuids } from './arrays.ts'
import type { DatabaseSession } from './database.ts'
import type { StoreParts } from './parts.ts'

/** The most emails that one statement looks at, whether or not it removes them. */
const LOOKS = 500

const START: RetentionCursor = { at: Number.MIN_SAFE_INTEGER, id: '00000000-0000-0000-0000-000000000000' }

interface RetentionCursor {
  /** Unix ms of `created_at`. */
  at: number
  id: string
}

const CANDIDATES = `WITH looked AS (
    SELECT id, created_at, company, domain_id FROM emails
    WHERE content_removed = $1 AND created_at >= $2 AND (created_at, id) > ($2, $3::uuid) AND created_at < $4
    ORDER BY created_at, id LIMIT ${LOOKS}
  )
  SELECT looked.id, looked.created_at AS at, EXISTS (SELECT 1 FROM queue q WHERE q.email = looked.id) AS live,
    looked.domain_id AS "domainId", c.id AS "companyId"
  FROM looked JOIN companies c ON c.num = looked.company ORDER BY looked.created_at, looked.id`

/** Another node may be working on the same emails: each takes those that the other has not locked. */
const LOCK = `SELECT id FROM emails WHERE id = ANY($1::uuid[]) AND content_removed = $2
  ORDER BY id FOR UPDATE SKIP LOCKED`

/** Locks finished emails. Only a manual retry could make them wait again, and it locks their rows, too. */
const LOCK_ENDED = `SELECT e.id FROM emails e
  WHERE e.id = ANY($1::uuid[]) AND NOT EXISTS (SELECT 1 FROM queue q WHERE q.email = e.id)
  ORDER BY e.id FOR UPDATE`

const FORGET_KEYS = `DELETE FROM idempotency WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM idempotency WHERE created_at <= $1 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )) RETURNING 1`

/**
 * Events of companies themselves. The order is that of the index, which the planner would otherwise not use without
 * statistics.
 */
const FORGET_COMPANY_EVENTS = `DELETE FROM events WHERE number = ANY (ARRAY(
    SELECT number FROM events WHERE email IS NULL AND at < $1 ORDER BY email LIMIT $2 FOR UPDATE SKIP LOCKED
  )) RETURNING 1`

const LOCK_BLOBS = `SELECT b.company, encode(b.sha256, 'hex') AS sha256 FROM blobs b
  WHERE (b.company, b.sha256) IN (SELECT company, sha256 FROM attachments WHERE email = ANY($1::uuid[]))
  ORDER BY b.company, b.sha256 FOR UPDATE`
const DELETE_BLOBS = `DELETE FROM blobs b
  USING (SELECT (j ->> 'company')::integer AS company, decode(j ->> 'sha256', 'hex') AS sha256
         FROM json_array_elements($1::json) AS j) AS f
  WHERE b.company = f.company AND b.sha256 = f.sha256
    AND NOT EXISTS (SELECT 1 FROM attachments a WHERE a.company = b.company AND a.sha256 = b.sha256)`

/** Tables with the rows of an email, by its id; its row in `emails` goes last. */
const PARTS = ['events', 'attempts', 'recipients'] as const

interface Candidate extends RetentionCursor {
  live: boolean
  /** Ids. */
  domainId: string
  companyId: string
}

function placeOf(text: string): RetentionCursor {
  const [at, id] = text.split(' ') as [string, string]
  return { at: Number(at), id }
}

interface SweepResult {
  touched: number
  done: boolean
}

type Remove = (session: DatabaseSession, ids: Buffer) => Promise<void>

/** A step over the emails from a place on that were accepted before a time (Unix ms). */
interface RetentionWalk {
  contentRemoved: boolean
  from: RetentionCursor
  before: number
  limit: number
  isDue(candidate: Candidate): boolean
  remove: Remove
}

/** `reached`: the place where the next step begins; null: there was no email. */
interface RetentionWalkResult extends SweepResult {
  reached: RetentionCursor | null
}

/**
 * Removes expired data in small transactions: content first, later the whole email with all its rows. Emails with
 * recipients waiting or being sent are left alone. Several nodes may do this at once.
 */
export function retention({
  database,
}: StoreParts): Pick<Store, 'retain' | 'retainShorter' | 'removeEmails'> {
  // The places where the walks by age continue. All emails before them are unfinished or removed.
  let contentFrom = START
  let emailsFrom = START

  /** `done`: a whole walk has ended, and the next step starts over. */
  async function step({ contentBefore, emailsBefore, limit }: RetentionRequest): Promise<SweepResult> {
    const keys = await database.write(FORGET_KEYS, [Date.now() - KEY_REMEMBERED_MS, limit])
    const ofCompanies = await database.write(FORGET_COMPANY_EVENTS, [Math.round(emailsBefore), limit])
    // An email is removed only after its content, so that content is removed in one way only.
    const before = Math.max(contentBefore, emailsBefore)
    const isDue = () => true
    const content = await walk({
      contentRemoved: false,
      from: contentFrom,
      before,
      limit,
      isDue,
      remove: removeContent,
    })
    contentFrom = content.reached ?? contentFrom
    let { touched } = content
    let done = content.done && keys.length < limit && ofCompanies.length < limit
    if (touched < limit && content.done) {
      const emails = await walk({
        contentRemoved: true,
        from: emailsFrom,
        before: emailsBefore,
        limit: limit - touched,
        isDue,
        remove: removeEmails,
      })
      emailsFrom = emails.reached ?? emailsFrom
      touched += emails.touched
      done &&= emails.done
    }
    if (done) {
      contentFrom = START
      emailsFrom = START
    }
    return { touched, done }
  }

  async function walk({
    contentRemoved,
    from,
    before,
    limit,
    isDue,
    remove,
  }: RetentionWalk): Promise<RetentionWalkResult> {
    const values = [contentRemoved, from.at, from.id, Math.round(before)]
    const candidates = await database.read<Candidate>(CANDIDATES, values)
    const finished = candidates.filter((each) => !each.live && isDue(each)).slice(0, limit)
    // The step ends at the last email that it removed, unless it looked at all candidates.
    const all = finished.length < limit
    const reached = (all ? candidates.at(-1) : finished.at(-1)) ?? null
    const touched = finished.length === 0 ? 0 : await removeOurs(finished, contentRemoved, remove)
    return { touched, reached, done: all && candidates.length < LOOKS }
  }

  async function removeOurs(
    emails: RetentionCursor[],
    contentRemoved: boolean,
    remove: Remove,
  ): Promise<number> {
    const ids = uuids(emails.map(({ id }) => id))
    return await database.transaction(async (session) => {
      const ours = await session.run<{ id: string }>(LOCK, [ids, contentRemoved])
      if (ours.length > 0) await remove(session, uuids(ours.map(({ id }) => id)))
      return ours.length
    })
  }

  return {
    /** Returns how many emails were changed or removed; 0 when there is nothing left to do. */
    async retain(request) {
      for (;;) {
        const { touched, done } = await step(request)
        if (touched > 0 || done) return touched
      }
    },

    async retainShorter(request) {
      const { now, after, limit } = request
      const { touched, reached, done } = await walk({
        contentRemoved: false,
        from: after === null ? START : placeOf(after),
        before: latestDue(request),
        limit,
        isDue: (each) => Number(each.at) < now - periodOf(request, each),
        remove: removeContent,
      })
      return { touched, reached: reached === null ? after : `${reached.at} ${reached.id}`, done }
    },

    async removeEmails(ids) {
      return await database.transaction(async (session) => {
        const ours = await session.run<{ id: string }>(LOCK_ENDED, [uuids(ids.filter(isEmailId))])
        const locked = uuids(ours.map(({ id }) => id))
        if (ours.length > 0) {
          await removeContent(session, locked)
          await removeEmails(session, locked)
        }
        return ours.map(({ id }) => id)
      })
    },
  }
}

/** Removes bodies, files that no other email refers to, and captured copies. */
async function removeContent(session: DatabaseSession, ids: Buffer): Promise<void> {
  const blobs = await session.run<{ company: number; sha256: string }>(LOCK_BLOBS, [ids])
  await session.run('DELETE FROM attachments WHERE email = ANY($1::uuid[])', [ids])
  // This must be a separate statement after the lock: only then does it see emails that have begun to refer to the
  // files meanwhile.
  if (blobs.length > 0) await session.run(DELETE_BLOBS, [JSON.stringify(blobs)])
  await session.run('DELETE FROM captured WHERE email = ANY($1::uuid[])', [ids])
  await session.run(
    `UPDATE emails SET content_removed = true, html = NULL, text = NULL, amp = NULL, raw = NULL, raw_files = NULL WHERE id = ANY($1::uuid[])`,
    [ids],
  )
}

async function removeEmails(session: DatabaseSession, ids: Buffer): Promise<void> {
  for (const table of PARTS) await session.run(`DELETE FROM ${table} WHERE email = ANY($1::uuid[])`, [ids])
  await session.run('DELETE FROM emails WHERE id = ANY($1::uuid[])', [ids])
}
