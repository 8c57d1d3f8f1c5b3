/** Paths for the tests of the queue. */
import { DEFAULT_ROUTE, type Path, type PathLimits, pathOf, type Site } from '../../src/delivery/path/path.ts'

/** Of direct mail to a site of this name, unless said otherwise. */
export function pathTo(
  name: string,
  { kind = 'direct', ...limits }: Partial<PathLimits> & { kind?: Site['kind'] } = {},
): Path {
  return pathOf({
    source: { name: 'default', helo: 'out.acme.test' },
    site: { name, key: name, kind, servers: null },
    policy: { id: DEFAULT_ROUTE, route: { kind: 'direct' }, firstAlone: false },
    limits: { sessions: 3, waiting: 100, ...limits },
  })
}
