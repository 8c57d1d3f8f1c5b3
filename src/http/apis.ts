import type { Api, ApiClass } from './api.ts'
import { Console } from './console/console.ts'
import { ConsolePage } from './console/page/page.ts'
import { RootRedirect } from './console/page/root-redirect.ts'
import type { HttpCore } from './core.ts'
import { FormDialect } from './form/routes.ts'
import { JsonDialect } from './json/routes.ts'
import { Pages } from './pages/pages.ts'

/** All public APIs: a new one is a folder and a line here. */
export const APIS: readonly ApiClass[] = [JsonDialect, FormDialect]

/** The APIs of POSTROAD_LISTEN: the pages, and on a node that accepts mail also `apis` and the console. */
export function servedApis(core: HttpCore, apis = APIS): Api[] {
  const { api, settings } = core.deps
  const console = api && settings.console === 'same' ? [Console, ConsolePage] : []
  return [...(api ? apis : []), ...console, Pages].map((Served) => new Served(core))
}

/** The APIs of the console's own listener. */
export function consoleListenerApis(core: HttpCore): Api[] {
  return [Console, ConsolePage, RootRedirect].map((Served) => new Served(core))
}
