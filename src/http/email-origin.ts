/** Whose email an id names. */
import { isEmailId } from '../email/email-id.ts'
import type { StoredOrigin } from '../store/store.ts'
import type { HttpDeps } from './deps.ts'

/** `origin` is null when the id is unknown, or none at all. Who may know of the email is for the caller to say. */
export async function originOf(
  { store }: Pick<HttpDeps, 'store'>,
  given: string,
): Promise<{ id: string; origin: StoredOrigin | null }> {
  const id = given.toLowerCase()
  return { id, origin: isEmailId(id) ? await store.emailOrigin(id) : null }
}
