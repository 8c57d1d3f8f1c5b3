/** Opens the database for an operator. */
import { statSync } from 'node:fs'
import type { Seal } from '../accounts/seal.ts'
import { openSeal } from '../accounts/secret-key.ts'
import { ownUrl } from '../config/own-url.ts'
import type { Settings } from '../config/settings.ts'
import type { SiteTable } from '../delivery/sites/site-table.ts'
import { openUsableSites } from '../delivery/sites/sites-file.ts'
import { hostLookup } from '../dns/host-lookup.ts'
import { configuredResolver } from '../dns/resolver.ts'
import { SearchTurns } from '../events/search-turns.ts'
import { Outgoing } from '../network/outgoing.ts'
import { addressGuard } from '../network/private-address.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import type { Workers } from '../workers/workers.ts'
import { type Caller, OPERATOR } from './authority.ts'
import { newDnsTurns } from './dns-turns.ts'
import { asOperateError, type Hint, OperateError } from './error.ts'
import type { PresentDeliveries } from './present-deliveries.ts'
import type { SharedExplanations } from './shared-explanations.ts'
import type { Operation, Setup } from './verb.ts'

/** The settings that verbs use. */
export type OperateSettings = Pick<Settings, keyof Setup | 'secretKey' | 'hostname'>

/**
 * Opens the database, also while a service is running on it; disposing of the operation closes it. Unless `make` is
 * set, a database that does not exist is an error, so that a mistyped path does not look like an empty service.
 */
export async function openOperation(
  settings: OperateSettings,
  { make = false, onSitesFault }: { make?: boolean; onSitesFault?: (fault: string) => void } = {},
): Promise<Operation & AsyncDisposable> {
  if (!make) refuseMissing(settings.database)
  await using opened = new AsyncDisposableStack()
  try {
    const store = await openStore(settings.database, { exclusive: false })
    opened.defer(() => store.close())
    const sites = () => {
      const { table, fault } = openUsableSites(settings)
      if (fault !== null) onSitesFault?.(fault)
      return table
    }
    const operation = operationOn(settings, store, OPERATOR, await store.accounts(), { sites })
    const closed = opened.move()
    return { ...operation, [Symbol.asyncDispose]: () => closed.disposeAsync() }
  } catch (error) {
    throw asOperateError(error)
  }
}

/**
 * An operation on an open store. `seal`: the opened seal of the database, if the caller has it; `turns`, `dnsTurns`,
 * `workers`, `apiUrl`, `sites`, `explanations` and `deliveries`: those of the service, if the caller is one.
 */
export function operationOn(
  settings: OperateSettings,
  store: Store,
  caller: Caller,
  accounts: Operation['accounts'],
  {
    seal,
    turns = new SearchTurns(),
    dnsTurns = newDnsTurns(),
    workers = null,
    apiUrl = () => ownUrl(settings),
    sites = () => openUsableSites(settings).table,
    explanations = null,
    deliveries = null,
  }: {
    seal?: Seal
    turns?: SearchTurns
    dnsTurns?: SearchTurns
    workers?: Workers | null
    apiUrl?: () => string
    sites?: () => SiteTable
    explanations?: SharedExplanations | null
    deliveries?: PresentDeliveries | null
  } = {},
): Operation {
  const resolver = () => configuredResolver(settings)
  return {
    caller,
    store,
    accounts,
    hostname: settings.hostname,
    publicUrl: settings.publicUrl,
    apiUrl,
    setup: settings,
    seal: async () => seal ?? (await openSeal(settings, accounts)),
    resolver,
    hosts: resolver,
    outgoing: (options) => outgoing(settings, options),
    guard: () => addressGuard(settings),
    sites,
    explanations,
    deliveries,
    workers,
    inTurn: (companyId, look) => turns.take(companyId, look),
    inDnsTurn: (companyId, ask) => dnsTurns.take(companyId, ask),
    now: () => Date.now(),
  }
}

function outgoing(
  { dnsServers, dnsValidating, allowPrivateNetworks }: OperateSettings,
  {
    anywhere = allowPrivateNetworks,
    allowLoopback = false,
    connections = 1,
    ...options
  }: Parameters<Operation['outgoing']>[0] = {},
): Outgoing {
  return new Outgoing({
    guard: addressGuard({ allowPrivateNetworks: anywhere, allowLoopback }),
    resolve: hostLookup(configuredResolver({ dnsServers, dnsValidating }), {
      hostsFile: anywhere,
    }),
    connections,
    ...options,
  })
}

/**
 * Throws OperateError when there is no SQLite database yet. Whether a PostgreSQL database exists shows only on
 * connecting.
 */
export function refuseMissing(database: Settings['database'], hint: Hint = { verb: 'openOperation' }): void {
  if (database.engine !== 'sqlite') return
  try {
    statSync(database.path)
    return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') {
      const message = `this user may not read ${database.path}. Run the command as the user that runs the service`
      throw new OperateError('unavailable', message, null, { cause: error })
    }
  }
  throw new OperateError('not_found', `there is no database at ${database.path}`, hint)
}
