/** Absolute URLs of this service, in answers that are followed. */
import type { FastifyRequest } from 'fastify'
import type { HttpCore } from '../core.ts'

/** The URL of a path, as the client of a request reaches it. */
export function linkTo({ publicUrl }: HttpCore, request: FastifyRequest, path: string): string {
  return publicUrl.of(request.raw) + path
}
