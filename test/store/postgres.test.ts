import { describe, type TestContext } from 'node:test'
import { execute, freshDatabase, withoutPostgres } from '../support/postgres.ts'
import { type Bench, storeContract } from './contract/contract.ts'
import { openedPostgres } from './opened.ts'

async function open(context: TestContext): Promise<Bench> {
  const url = await freshDatabase(context)
  const view = () => openedPostgres(context, url)
  const rows = async (table: string) => {
    const [counted] = await execute<{ n: number }>(url, `SELECT count(*)::int AS n FROM ${table}`)
    return counted!.n
  }
  const run = async (sql: string) => void (await execute(url, sql))
  const raiseNumbers = (last: number) =>
    run(`SELECT setval('emails_seq_seq', ${last}), setval('events_number_seq', ${last})`)
  const store = await view()
  return { store, commits: () => store.commits, another: view, rows, execute: run, raiseNumbers }
}

describe('on a real server', { skip: withoutPostgres() }, () => {
  storeContract('PostgreSQL', open)
})
