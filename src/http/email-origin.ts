/** The owner of the email with an id. */
import { isEmailId } from '../email/email-id.ts'
import type { Store, StoredOrigin } from '../store/store.ts'

export type EmailOrigins = Pick<Store, 'emailOrigin'>

/** `origin` is null when the id is unknown or invalid. The caller must check the right to see the email. */
export async function originOf(
  { store }: { store: EmailOrigins },
  given: string,
): Promise<{ id: string; origin: StoredOrigin | null }> {
  const id = given.toLowerCase()
  return { id, origin: isEmailId(id) ? await store.emailOrigin(id) : null }
}
