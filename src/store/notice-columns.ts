/** The columns of the email `e` and the recipient `r` that an event reports, in both databases. */
import { fieldsOf } from '../email/fields.ts'

/** Fields that name all recipients: they are not read for a batch, where each recipient has a separate message. */
const OF_ALL = ['to', 'cc']

const EMAIL = fieldsOf('tell').map(({ name, column, type }) => {
  const own = name === 'companyId' ? 'c.id' : `e.${column}`
  const value = OF_ALL.includes(name) ? `CASE WHEN e.individual THEN NULL ELSE ${own} END` : own
  return { name, value, long: type.long === true }
})

const octets = EMAIL.filter(({ long }) => long).map(({ value }) => `coalesce(octet_length(${value}), 0)`)

/** `key`: the column by which other tables name the email. `files`: a query for its files, as JSON. */
export function noticeColumns(key: string, files: string): { name: string; value: string }[] {
  return [
    ...EMAIL,
    { name: 'octets', value: octets.join(' + ') },
    { name: 'files', value: files },
    { name: 'domainName', value: '(SELECT d.name FROM domains d WHERE d.id = e.domain_id)' },
    {
      name: 'recipientCount',
      value: `(SELECT max(o.position) + 1 FROM recipients o WHERE o.email = e.${key})`,
    },
    { name: 'address', value: 'r.address' },
    { name: 'mailbox', value: 'r.mailbox' },
    { name: 'copySize', value: 'r.copy_size' },
    { name: 'recipientVariables', value: 'r.variables' },
    {
      // Only recipients of a batch have values.
      name: 'copyOf',
      value: `CASE WHEN r.variables IS NOT NULL AND r.kind <> 'to' THEN
        (SELECT coalesce(f.mailbox, f.address) FROM recipients f WHERE f.email = r.email AND f.position = 0) END`,
    },
  ]
}

/** The column list of a SELECT. */
export function selectList(columns: readonly { name: string; value: string }[]): string {
  return columns.map(({ name, value }) => `${value} AS "${name}"`).join(', ')
}
