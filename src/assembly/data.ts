import { LiveAccounts } from '../accounts/live-accounts.ts'
import { openSeal } from '../accounts/secret-key.ts'
import { openStore } from '../store/open.ts'
import { Workers } from '../workers/workers.ts'
import type { Start } from './start.ts'

export type WithStore = Start & Awaited<ReturnType<typeof openData>>

/** The store and its accounts, and the workers. */
export async function openData({ settings, log, metrics, plan, started, unlessStopped }: Start) {
  const store = await unlessStopped(
    openStore(settings.database, {
      exclusive: true,
      onFault: (error) =>
        log.error({ err: error }, 'The database is damaged; the undamaged part stays in use'),
    }),
  )
  started.defer(() => store.close())
  const accounts = new LiveAccounts({
    source: store,
    onFault: (error) => log.error({ err: error }, 'Could not read account changes; retrying in a second'),
    onLook: () => metrics.accountLooks.inc(),
  })
  const { directory } = accounts
  started.defer(() => accounts.stop())
  await unlessStopped(accounts.start())
  const seal = await unlessStopped(
    openSeal(settings, { domains: directory.domains(), routes: directory.routes() }),
  )
  const workers = new Workers({
    memory: Math.floor(plan.workerHeap / 1024 ** 2),
    onDeath: (cause, detail) => {
      metrics.workerDeaths.inc({ cause })
      log.warn({ cause, detail }, 'A worker crashed on its job; a new worker replaces it')
    },
  })
  started.defer(() => workers.close())
  return { store, accounts, directory, seal, workers }
}
