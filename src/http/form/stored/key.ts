/**
 * The key of a stored message: the id of its email, and in batch sending the position of the recipient whose copy it
 * is.
 */
import type { FastifyRequest } from 'fastify'
import type { SendingDomain } from '../../../accounts/account.ts'
import type { ToldEmail } from '../../../email/told-event.ts'
import type { FormStorage } from '../../../events/told/form.ts'
import type { HttpCore } from '../../core.ts'
import { linkTo } from '../link.ts'

/** Where events say that their message is. */
export function storageOf(core: HttpCore, request: FastifyRequest, domain: Pick<SendingDomain, 'name'>) {
  return ({ id }: ToldEmail): FormStorage => ({ url: storedAt(core, request, domain.name, id), key: id })
}

export function storedAt(core: HttpCore, request: FastifyRequest, domain: string, key: string): string {
  return linkTo(core, request, `/v3/domains/${domain}/messages/${key}`)
}
