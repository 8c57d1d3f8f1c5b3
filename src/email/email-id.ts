/**
 * Ids of emails are UUIDs in lower case: whatever is not is the id of none, and PostgreSQL would reject the question.
 */
export function isEmailId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
}
