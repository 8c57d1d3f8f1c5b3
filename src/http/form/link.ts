/** Absolute URLs of this service, for clients to follow. */
import type { FastifyRequest } from 'fastify'
import type { HttpCore } from '../core.ts'

/** The URL of a path, on the host through which the client reached the service. */
export function linkTo({ publicUrl }: HttpCore, request: FastifyRequest, path: string): string {
  return publicUrl.urlOf(request.raw) + path
}
