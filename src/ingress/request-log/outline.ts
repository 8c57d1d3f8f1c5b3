/**
 * A request in the log of API requests: the names of its fields, and the values of fields that contain neither secrets
 * nor the content of mail. Other texts, lists and objects are replaced by their kind and size, other numbers by their
 * kind.
 */
import { clip } from '../../common/clip.ts'

/** The most characters of an outline, approximately, and of one value. */
const MAX = 1_800
const MAX_OF_VALUE = 200
/** Fields of an object, and items of a list, that are shown. */
const MAX_FIELDS = 40
const MAX_ITEMS = 10
const DEEPEST = 4

/** Fields whose values are shown. Any other field may contain a secret, or the content of a message. */
const SHOWN = new Set(
  `from to cc bcc reply_to replyto h:reply-to scheduled_at scheduledat o:deliverytime send_at name domain domain_id
  region permission scopes events status type id address email emails filename content_type limit after before page
  skip begin end start duration resolution event period o:testmode o:tag template_id tls expires_in recipient sender
  command`.split(/\s+/),
)
/** Fields whose objects are shown with their fields. */
const OPEN = new Set(['tags', 'attachments'])

/** As JSON. `fields`: of the query or the body. */
export function outline(fields: unknown): string {
  let room = MAX
  const spend = <Value>(value: Value, characters: number): Value => {
    room -= characters
    return value
  }
  const valueOutline = (value: unknown, isShown: boolean, depth: number): unknown => {
    if (room <= 0) return '…'
    if (typeof value === 'string') {
      const text = isShown
        ? clip(value.toWellFormed(), MAX_OF_VALUE)
        : `[${value.length} ${value.length === 1 ? 'character' : 'characters'}]`
      return spend(text, text.length)
    }
    if (typeof value === 'number' && !isShown) return spend('[number]', 8)
    if (typeof value !== 'object' || value === null) return spend(value, 8)
    if (depth >= DEEPEST) return '…'
    if (Array.isArray(value)) {
      const items = value.slice(0, MAX_ITEMS).map((item) => valueOutline(item, isShown, depth + 1))
      return value.length > MAX_ITEMS ? [...items, `… ${value.length - MAX_ITEMS} more`] : items
    }
    return fieldsOf(value, depth)
  }
  const fieldsOf = (value: object, depth: number): object => {
    const found: Record<string, unknown> = Object.create(null)
    let count = 0
    for (const [name, each] of Object.entries(value)) {
      if (room <= 0 || ++count > MAX_FIELDS) {
        found['…'] = 'more fields'
        break
      }
      const key = clip(name.toWellFormed(), 60)
      room -= key.length + 6
      const lower = name.toLowerCase()
      const isOpen = SHOWN.has(lower) || OPEN.has(lower)
      const isClosed = typeof each === 'object' && each !== null && !isOpen
      found[key] = isClosed ? sizeText(each) : valueOutline(each, SHOWN.has(lower), depth + 1)
    }
    return found
  }
  return JSON.stringify(valueOutline(fields, false, 0))
}

function sizeText(value: object): string {
  return Array.isArray(value) ? `[${value.length} items]` : `[${Object.keys(value).length} fields]`
}

/** `type`: the Content-Type of the body. Null: there is no body. */
export function outlineBody(body: Buffer | undefined, type: string | undefined): string | null {
  // A body that a worker has read is no longer here.
  if (body === undefined || body.length === 0) return null
  const kind = type?.toLowerCase() ?? ''
  if (kind.startsWith('application/x-www-form-urlencoded'))
    return outline(merged(new URLSearchParams(body.toString())))
  if (kind.startsWith('multipart/form-data')) return outline(merged(partsOf(body.toString())))
  try {
    return outline(JSON.parse(body.toString()))
  } catch {
    return JSON.stringify(`[${body.length} octets that are not JSON]`)
  }
}

export function outlineQuery(url: string | undefined): string | null {
  const begin = url?.indexOf('?') ?? -1
  return begin < 0 ? null : outline(merged(new URLSearchParams(url!.slice(begin))))
}

/** The fields of a request. The values of a field that occurs several times become a list. */
function merged(pairs: Iterable<[name: string, value: string]>): Record<string, string | string[]> {
  const found = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    const values = found.get(name)
    if (values) values.push(value)
    else found.set(name, [value])
  }
  const fields = [...found].map(
    ([name, values]) => [name, values.length === 1 ? values[0]! : values] as const,
  )
  return Object.assign(Object.create(null), Object.fromEntries(fields))
}

const PART = /^content-disposition: *form-data;.*?\bname="([^"]{1,200})"(.*)/is
/** The fewest and the most characters of a line that names a field. Nobody would recognise a longer name. */
const SHORTEST_LINE = 'content-disposition:form-data;name=""'.length
const LONGEST_LINE = 1_000

/** Yields the first line of each field, because no more than that is shown. For a file, yields only its name. */
function* partsOf(body: string): Generator<[name: string, value: string]> {
  /** The fields that the present head names, and whether the head has ended. */
  let names: string[] = []
  let isValue = false
  for (const line of body.split('\r\n')) {
    if (isValue) {
      for (const name of names) yield [name, line]
      names = []
      isValue = false
      continue
    }
    isValue = line === '' && names.length > 0
    if (line.length < SHORTEST_LINE || line.length > LONGEST_LINE) continue
    const found = PART.exec(line)
    if (found === null) continue
    const [, name, rest] = found
    if (rest!.includes('filename')) yield [name!, '[a file]']
    else names.push(name!)
  }
  for (const name of names) yield [name, '']
}
