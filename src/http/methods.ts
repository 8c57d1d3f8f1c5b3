/** The methods of a path, for the Allow header of a 405 (RFC 9110 15.5.6). */
import type { FastifyInstance } from 'fastify'

export class PathMethods {
  readonly #routes = new Map<string, { path: RegExp; methods: Set<string> }>()

  /** Records every route that is added from now on to `app`, the scope of an API. */
  watch(app: FastifyInstance): void {
    app.addHook('onRoute', ({ url, method }) => {
      let route = this.#routes.get(url)
      if (!route) {
        const pattern = url.split('/').map(patternOf).join('/')
        route = { path: new RegExp(`^${pattern}/?$`), methods: new Set() }
        this.#routes.set(url, route)
      }
      for (const name of Array.isArray(method) ? method : [method]) route.methods.add(name)
    })
  }

  /** E.g. `GET, HEAD`; null when there is no such path. */
  allowed(path: string): string | null {
    const methods = new Set<string>()
    for (const route of this.#routes.values()) {
      if (route.path.test(path)) for (const method of route.methods) methods.add(method)
    }
    return methods.size === 0 ? null : [...methods].sort().join(', ')
  }
}

/** The pattern for one segment of a route's path. */
function patternOf(part: string): string {
  if (part === '*') return '.*'
  return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
