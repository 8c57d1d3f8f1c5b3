/** The owner of the email with an id. */
import { isEmailId } from '../email/email-id.ts'
import type { StoredOrigin } from '../store/store.ts'
import type { HttpDeps } from './deps.ts'

/** `origin` is null when the id is unknown or invalid. The caller must check the right to see the email. */
export async function originOf(
  { store }: Pick<HttpDeps, 'store'>,
  given: string,
): Promise<{ id: string; origin: StoredOrigin | null }> {
  const id = given.toLowerCase()
  return { id, origin: isEmailId(id) ? await store.emailOrigin(id) : null }
}
