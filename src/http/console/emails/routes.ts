import type { Endpoint } from '../../endpoint.ts'
import { actRoutes } from './act.ts'
import { readRoutes } from './read.ts'
import { sourceRoutes } from './source.ts'

export const emailRoutes: readonly Endpoint[] = [...readRoutes, ...sourceRoutes, ...actRoutes]
