/** The effect of deleting captured emails, in words. */
export function deletionOf(count: number): string {
  const deleted = count === 1 ? 'The email is deleted with its' : 'The emails are deleted with their'
  return `${deleted} content and events. This cannot be undone.`
}
