/**
 * The facts reported with events, as the reader returns them: rows of plain values, which cost much less to copy than
 * objects.
 */
import { plainCodec, type ValueRow } from '../../email/codec.ts'
import type { NoticeRow } from '../email-rows.ts'
import { noticeColumns, selectList } from '../notice-columns.ts'

const COLUMNS = noticeColumns(
  'num',
  `(SELECT json_group_array(json_object('filename', f.filename, 'contentType', f.content_type, 'size', length(b.bytes))
      ORDER BY f.position)
    FROM attachments f CROSS JOIN blobs b ON b.num = f.blob WHERE f.email = e.num)`,
)

const { unpack } = plainCodec<NoticeRow>(
  COLUMNS.map(({ name }) => name as keyof NoticeRow),
  [],
)

/** Reads a row whose values are in the order of the columns. */
export const noticeRow: (row: ValueRow) => NoticeRow = unpack

/** One row for each wanted email, in order. */
export const NOTICES = `SELECT ${selectList(COLUMNS)}
  FROM json_each(?) i LEFT JOIN emails k ON k.id = i.value ->> 'emailId'
    LEFT JOIN emails e ON e.num = k.num AND NOT i.value ->> 'known'
    LEFT JOIN companies c ON c.num = e.company
    LEFT JOIN recipients r ON r.email = k.num AND r.position = i.value ->> 'recipient'`
