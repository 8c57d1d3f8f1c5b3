import type { Endpoint } from '../../endpoint.ts'
import { actionRoutes } from './actions.ts'
import { readRoutes } from './read.ts'
import { sourceRoutes } from './source.ts'

export const emailRoutes: readonly Endpoint[] = [...readRoutes, ...sourceRoutes, ...actionRoutes]
