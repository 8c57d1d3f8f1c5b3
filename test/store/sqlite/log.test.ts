/** The write-ahead log starts over while writers never rest: it does not grow with what is written. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openStore } from '../../../src/store/open.ts'
import { temporaryDirectory } from '../directory.ts'
import { company, email, newId } from '../samples.ts'

const WRITES = 20_000
/** So many are always under way: no pause in which the log could start over by itself. */
const WRITERS = 20
const PAGE = 8_192
/** Some 2,500 pages is usual, more where the checkpointer has to wait for a processor; a log that is not relieved has 15,000 and more. */
const LONG = 12_000

test('under steady writing the write-ahead log stays short', async (t) => {
  const path = join(temporaryDirectory(t), 'postroad.db')
  const store = await openStore({ engine: 'sqlite', path }, { exclusive: true })
  t.after(() => store.close())
  const owner = company('Acme')
  await store.addCompany(owner)
  let begun = 0
  const write = async () => {
    while (begun++ < WRITES) {
      const to = `${newId()}@x${begun % 50}.test`
      await store.accept(email(owner, [to]), null)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, write))
  // The file never becomes shorter: this is the longest it has been.
  const pages = statSync(`${path}-wal`).size / PAGE
  const database = statSync(path).size / PAGE
  t.diagnostic(`${Math.round(pages)} pages of log for ${WRITES} emails, database ${database} pages`)
  assert.ok(pages < LONG, `${Math.round(pages)} pages`)
})
