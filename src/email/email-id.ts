/** Ids of emails are lower-case UUIDs: any other text is not an id, and PostgreSQL would reject the query. */
export function isEmailId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
}
