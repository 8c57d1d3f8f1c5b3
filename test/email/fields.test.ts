import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  CHANGES,
  CONTENTS,
  listReader,
  RECIPIENTS,
  rowBinder,
  rowReader,
  SENT,
  WHOLE,
  type WholeEmail,
} from '../../src/email/codec.ts'
import {
  body,
  bool,
  CONTENT,
  company,
  count,
  EMAIL,
  FACT_FIELDS,
  FACTS,
  type Field,
  type FieldDeclaration,
  type FieldReader,
  type FieldType,
  fieldsOf,
  int,
  octets,
  optionalCount,
  optionalMap,
  optionalTime,
  optionalWord,
  RECIPIENT,
  type Recipient,
  recipientFieldsOf,
  text,
  uuid,
  word,
} from '../../src/email/fields.ts'
import type { Facts } from '../../src/email/lifecycle.ts'
import { textOf } from '../../src/mail/body.ts'
import { COLUMNS, selected } from '../../src/store/email-columns.ts'
import { openForWriting } from '../../src/store/sqlite/database.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import { temporaryDirectory } from '../store/directory.ts'

const mailboxes = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 })
const words = fc.string({ unit: 'binary' })
const maps = fc.dictionary(fc.string({ minLength: 1 }), words, { maxKeys: 3, noNullPrototype: true })
const octetsOf = fc.uint8Array({ maxLength: 50 })

/** Values by type; of lists and maps, by name. */
const BY_TYPE = new Map<FieldType<never>, fc.Arbitrary<unknown>>([
  [uuid, fc.uuid()],
  [company, fc.uuid()],
  [word, words],
  [text, words],
  [body, fc.option(words, { nil: undefined })],
  [octets, fc.option(octetsOf)],
  [bool, fc.boolean()],
  [int, fc.maxSafeNat()],
  [optionalTime, fc.option(fc.maxSafeNat())],
  [optionalWord, fc.option(words)],
  [count, fc.nat()],
  [optionalCount, fc.option(fc.nat())],
  [optionalMap, fc.option(maps)],
] as [FieldType<never>, fc.Arbitrary<unknown>][])
const BY_NAME: Record<string, fc.Arbitrary<unknown>> = {
  to: mailboxes,
  cc: mailboxes,
  bcc: mailboxes,
  replyTo: mailboxes,
  headers: fc.array(fc.tuple(words, words), { maxLength: 3 }),
  tags: fc.array(fc.record({ name: words, value: words }, { noNullPrototype: true }), { maxLength: 3 }),
  variables: maps,
  rawFiles: fc.option(
    fc.record(
      { attached: fc.boolean(), names: fc.array(words, { maxLength: 3 }) },
      { noNullPrototype: true },
    ),
  ),
}

function values(
  fields: Record<string, Field<unknown>>,
  constraints: { requiredKeys?: never[] } = {},
): fc.Arbitrary<Record<string, unknown>> {
  const entries = Object.entries(fields).map(([name, { type }]) => {
    return [name, BY_TYPE.get(type as FieldType<never>) ?? BY_NAME[name]!]
  })
  return fc.record(Object.fromEntries(entries), { noNullPrototype: true, ...constraints })
}

const files = fc.array(
  fc.record(
    {
      filename: words,
      contentType: words,
      content: octetsOf,
      disposition: fc.constantFrom('attachment', 'inline'),
      contentId: words,
    },
    { requiredKeys: ['filename', 'contentType', 'content', 'disposition'], noNullPrototype: true },
  ),
  { maxLength: 3 },
)

/** What has no value of an optional field does not have the field. */
const wholes = fc.tuple(values(EMAIL), values(CONTENT), files).map(([email, content, attachments]) => {
  for (const name of ['html', 'text', 'amp']) if (content[name] === undefined) delete content[name]
  return { ...email, content: { ...content, attachments } } as unknown as WholeEmail
})

const asIs = (bytes: Uint8Array) => bytes

test('an email arrives unchanged in another thread', () => {
  fc.assert(
    fc.property(wholes, (email) => {
      assert.deepEqual(WHOLE.unpack(structuredClone(WHOLE.pack(email, asIs))), email)
      assert.deepEqual(CONTENTS.unpack(structuredClone(CONTENTS.pack(email.content, asIs))), email.content)
      const sent = Object.fromEntries(
        fieldsOf('send').map(({ name }) => [name, email[name as keyof WholeEmail]]),
      )
      assert.deepEqual(SENT.unpack(structuredClone(SENT.pack(email))), sent)
    }),
  )
})

test('recipients arrive unchanged in another thread, and so do the changes to them', () => {
  const recipients = values(RECIPIENT) as fc.Arbitrary<Recipient>
  const changes = values(FACTS, { requiredKeys: [] }) as fc.Arbitrary<Partial<Facts>>
  fc.assert(
    fc.property(recipients, changes, (recipient, change) => {
      assert.deepEqual(RECIPIENTS.unpack(structuredClone(RECIPIENTS.pack(recipient))), recipient)
      assert.deepEqual(CHANGES.unpack(structuredClone(CHANGES.pack(change))), change)
    }),
  )
})

test('recipients come from their columns as they went there', () => {
  const given = recipientFieldsOf()
  const bind = rowBinder<Recipient, unknown>(given, COLUMNS)
  const read = rowReader<Recipient>(given, COLUMNS)
  const bindFacts = rowBinder<Facts, unknown>(FACT_FIELDS, COLUMNS)
  const readFacts = listReader<Facts & { email: number }>(['email'], FACT_FIELDS)
  const recipients = values(RECIPIENT) as fc.Arbitrary<Recipient>
  const facts = values(FACTS) as unknown as fc.Arbitrary<Facts>
  fc.assert(
    fc.property(recipients, facts, (recipient, facts) => {
      const row = Object.fromEntries(bind(recipient, 7).map((value, at) => [given[at]!.name, value]))
      assert.deepEqual(read(row, row), recipient)
      assert.deepEqual(readFacts([1, ...bindFacts(facts, 7)]), { email: 1, ...facts })
    }),
  )
})

test('octets are made ready to cross, each once', () => {
  const seen: number[] = []
  const file = { filename: 'a', contentType: 'a/b', disposition: 'inline' as const }
  const [email] = fc.sample(wholes, 1) as [WholeEmail]
  email.raw = Uint8Array.of(1)
  email.content.attachments = [2, 3].map((octet) => ({ ...file, content: Uint8Array.of(octet) }))
  const row = WHOLE.pack(email, (bytes) => {
    seen.push(bytes[0]!)
    return Uint8Array.of(bytes[0]! + 10)
  })
  assert.deepEqual(seen.sort(), [1, 2, 3])
  const { raw, content } = WHOLE.unpack(row)
  assert.deepEqual(
    [raw, ...content.attachments.map((one) => one.content)],
    [Uint8Array.of(11), Uint8Array.of(12), Uint8Array.of(13)],
  )
  assert.deepEqual(email.raw, Uint8Array.of(1))
})

test('an email read from its columns equals the email that was written, on both databases', () => {
  const fields = fieldsOf()
  const bind = rowBinder<WholeEmail, unknown>(fields, COLUMNS)
  const read = rowReader<WholeEmail>(fields, COLUMNS)
  fc.assert(
    fc.property(wholes, fc.boolean(), (email, postgres) => {
      const row = Object.fromEntries(bind(email, 7).map((value, at) => [fields[at]!.name, value]))
      assert.equal(row.companyId, 7)
      row.companyId = email.companyId
      if (postgres) {
        for (const { name, type } of fields) {
          if (type === bool) row[name] = row[name] === 1
          if (type === body && row[name] !== null) row[name] = Buffer.from(row[name] as string)
        }
        // UTF-8 has no lone surrogates.
        for (const name of ['html', 'text', 'amp'] as const) {
          if (email.content[name] !== undefined)
            email.content[name] = textOf(email.content[name]).toWellFormed()
        }
      }
      const { attachments: _, ...content } = email.content
      assert.deepEqual(read(row, row), { ...email, content })
    }),
  )
})

test('times and sizes go to their columns as whole numbers', () => {
  const bind = rowBinder<WholeEmail, unknown>(fieldsOf(), COLUMNS)
  const [email] = fc.sample(wholes, 1) as [WholeEmail]
  Object.assign(email, { createdAt: 1.4, scheduledAt: 2.5, size: 3.6 })
  email.content.date = 4.4
  const at = (name: string) => bind(email, 1)[fieldsOf().findIndex((field) => field.name === name)]
  assert.deepEqual(['createdAt', 'scheduledAt', 'size', 'date'].map(at), [1, 3, 4, 4])
})

test('the columns and their types', () => {
  const columns = fieldsOf().map(
    ({ column, type, large }) => `${column} ${type.column}${large ? ' large' : ''}`,
  )
  assert.deepEqual(columns.toSorted(), [
    'amp octets large',
    'bcc text',
    'company int4',
    'created_at int8',
    'date int8',
    'domain_id text',
    'give_up_at int8',
    'header_cc text',
    'header_from text',
    'header_to text',
    'headers text',
    'html octets large',
    'id uuid',
    'individual bool',
    'key_id text',
    'message_id text',
    'raw bytea large',
    'raw_files text',
    'reply_to text',
    'return_path_host text',
    'scheduled_at int8',
    'sender text',
    'size int8',
    'source text',
    'subject text',
    'tags text',
    'test_mode bool',
    'text octets large',
    'tls text',
    'tls_by_message bool',
    'variables text',
    'via_smtp bool',
  ])
})

test('the columns of recipients and their types', () => {
  const columns = [...recipientFieldsOf(), ...FACT_FIELDS].map(
    ({ column, type }) => `${column} ${type.column}`,
  )
  assert.deepEqual(columns, [
    'address text',
    'domain text',
    'kind text',
    'variables text',
    'mailbox text',
    'copy_size int8',
    'state text',
    'due_at int8',
    'attempts int4',
    'uncertain bool',
    'preferred_server text',
    'postponed_since int8',
    'held_for text',
    'suspicion int4',
    'cancel bool',
    'server text',
    'last_code int4',
    'last_message text',
  ])
})

test('readers of fields', () => {
  const names = (fields: readonly FieldDeclaration[]) => fields.map(({ name }) => name).toSorted()
  const namesOf = (reader: FieldReader) => names(fieldsOf(reader))
  assert.deepEqual(names(recipientFieldsOf('queue')), ['address', 'domain', 'variables'])
  assert.deepEqual(names(recipientFieldsOf('show')), ['address', 'kind', 'variables'])
  const content = Object.keys(CONTENT)
  const sent = ['companyId', 'createdAt', 'id', 'returnPathHost', 'sender', 'testMode', 'tls', 'tlsByMessage']
  assert.deepEqual(namesOf('send'), sent)
  const queue = [
    ...sent,
    'domainId',
    'giveUpAt',
    'individual',
    'keyId',
    'raw',
    'scheduledAt',
    'size',
    'source',
  ]
  assert.deepEqual(namesOf('queue'), [...queue, ...content].toSorted())
  const own = [
    'bcc',
    'companyId',
    'createdAt',
    'domainId',
    'giveUpAt',
    'id',
    'keyId',
    'scheduledAt',
    'size',
    'source',
    'tags',
    'testMode',
    'tls',
  ]
  const shown = content.filter(
    (name) => name !== 'html' && name !== 'text' && name !== 'amp' && name !== 'date',
  )
  const unlisted = ['giveUpAt', 'keyId', 'tls']
  const listed = own.filter((name) => !unlisted.includes(name))
  assert.deepEqual(namesOf('list'), [...listed, ...shown.filter((name) => name !== 'headers')].toSorted())
  const told = own.filter((name) => !['giveUpAt', 'keyId', 'bcc', 'source'].includes(name))
  assert.deepEqual(
    namesOf('tell'),
    [...told, 'individual', 'sender', 'variables', 'viaSmtp', ...shown].toSorted(),
  )
  assert.deepEqual(namesOf('show'), [...own, 'tlsByMessage', 'variables', ...content].toSorted())
})

test('a SELECT names each column for its field, and a company by its id', () => {
  const few = fieldsOf('queue').filter(({ name }) => ['id', 'companyId', 'from', 'html'].includes(name))
  assert.equal(
    selected(few, ({ large }) => (large ? 'k' : 'e')),
    'e.id AS "id", c.id AS "companyId", e.header_from AS "from", k.html AS "html"',
  )
})

test('SQLite has a column for each, and none besides but those of the row itself', (t) => {
  const path = join(temporaryDirectory(t), 'a.db')
  const db = openForWriting(path)
  t.after(() => db.close())
  migrate(db, path)
  const inTable = (table: string) =>
    (db.prepare(`SELECT name FROM pragma_table_info('${table}')`).all() as { name: string }[]).map(
      ({ name }) => name,
    )
  const columns = (large: boolean) => fieldsOf().filter((field) => (field.large === true) === large)
  const named = (large: boolean) => columns(large).map(({ column }) => column)
  assert.deepEqual(inTable('emails').toSorted(), [...named(false), 'num', 'sent'].toSorted())
  const ofRecipients = [...recipientFieldsOf(), ...FACT_FIELDS].map(({ column }) => column)
  const ofRow = ['email', 'position', 'company', 'lease', 'held_domain']
  assert.deepEqual(inTable('recipients').toSorted(), [...ofRecipients, ...ofRow].toSorted())
  assert.deepEqual(inTable('contents').toSorted(), [...named(true), 'created_at', 'email'].toSorted())
})
