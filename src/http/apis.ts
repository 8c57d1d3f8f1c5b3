import type { Api, ApiClass } from './api.ts'
import { Console } from './console/console.ts'
import { ConsolePage } from './console/page.ts'
import type { HttpCore } from './core.ts'
import { FormDialect } from './form/routes.ts'
import { JsonDialect } from './json/routes.ts'
import { Pages } from './pages/pages.ts'

/** Every API there is: a new one is a folder and a line here. */
export const APIS: readonly ApiClass[] = [JsonDialect, FormDialect]

/** What a node serves: the pages, and where it takes mail in `apis`. */
export function servedApis(core: HttpCore, apis = APIS): Api[] {
  return [...(core.deps.api ? [...apis, Console, ConsolePage] : []), Pages].map((Served) => new Served(core))
}
